"""Settings in the words of openstack.cloud's modules for Magnum: the Ansible way to a cluster, beside Terraform's.

The modules (openstack.cloud 2.5.0, coe_cluster_template and coe_cluster) know less than Magnum: what they cannot say is
told by the key of the settings before anything starts. Both ways take labels and attributes from the same compiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from magflow.errors import MagflowError
from magflow.findings import Finding, Severity, error, errors
from magflow.rules import labels
from magflow.rules.labels.model import Compiled
from magflow.settings import DEFAULT_WORKER, Settings

CODE = "ANSIBLE_WAY_CANNOT"

TEMPLATE_WORDS = {
    "dns_nameserver": "dns_nameserver",
    "docker_storage_driver": "docker_storage_driver",
    "docker_volume_size": "docker_volume_size",
    "floating_ip_enabled": "is_floating_ip_enabled",
    "http_proxy": "http_proxy",
    "https_proxy": "https_proxy",
    "insecure_registry": "insecure_registry",
    "master_lb_enabled": "is_master_lb_enabled",
    "network_driver": "network_driver",
    "no_proxy": "no_proxy",
    "server_type": "server_type",
    "volume_driver": "volume_driver",
}
"""Attributes of the compiler, and what the module coe_cluster_template calls them."""

CHOICES: dict[str, tuple[str, ...]] = {
    "docker_storage_driver": ("devicemapper", "overlay", "overlay2"),
    "network_driver": ("flannel", "calico", "docker"),
    "server_type": ("vm", "bm"),
    "volume_driver": ("cinder", "rexray"),
}
"""Values that the module takes, where it takes some alone; a contract test compares them with the module."""

TERRAFORM = "leave it out, or take the Terraform way: magflow deploy"


def ansible_cluster_vars(settings: Settings) -> dict[str, Any]:
    """The variables of the role `magnum_cluster`.

    Args:
        settings: of the environment; its first cluster is made.

    Raises:
        MagflowError: the settings ask for what the modules cannot do, or do not compile; all of it, by key.
    """
    compiled = labels.compile(settings)
    found = errors([*compiled.findings, *limits(settings, compiled)])
    if found:
        raise MagflowError(
            "the Ansible way cannot make this cluster:\n"
            + "\n".join(f"       {item.path}: {item.message}; {item.hint}".rstrip("; ") for item in found),
            code=found[0].code,
        )
    cluster, network = settings.cluster, settings.network
    workers = settings.node_groups[DEFAULT_WORKER]
    return {
        "magnum_cluster_cloud": settings.cloud.name,
        "magnum_cluster_clouds_file": str(settings.cloud.clouds_file or ""),
        "magnum_cluster_name": cluster.name,
        "magnum_cluster_image": settings.image.name,
        "magnum_cluster_network": {
            name: value
            for name, value in (("external", network.external), ("fixed", network.fixed), ("subnet", network.subnet))
            if value
        },
        "magnum_cluster_template": _template(settings, compiled),
        "magnum_cluster_labels": dict(compiled.template),
        "magnum_cluster_own_labels": dict(compiled.own or {}),
        "magnum_cluster_keypair": settings.keypair,
        "magnum_cluster_create_timeout": cluster.create_timeout,
        "magnum_cluster_control_plane": {"count": cluster.control_plane.count, "flavor": cluster.control_plane.flavor},
        "magnum_cluster_workers": {"count": workers.count, "flavor": workers.flavor},
    }


def cluster_warnings(settings: Settings) -> list[str]:
    """What should be known before the cluster is made: the label compiler's warnings, a sentence each.

    Args:
        settings: of the environment.
    """
    found = labels.compile(settings).findings
    return [f"{item.path}: {item.message}" for item in found if item.severity is Severity.WARNING]


def limits(settings: Settings, compiled: Compiled) -> list[Finding]:
    """What the settings ask for and openstack.cloud's modules cannot do; an error each.

    Args:
        settings: of the environment.
        compiled: labels and attributes of its first cluster.
    """
    return [error(CODE, path, message, hint) for path, message, hint in _limits(settings, compiled)]


def _limits(settings: Settings, compiled: Compiled) -> Iterator[tuple[str, str, str]]:
    for name in sorted(set(settings.node_groups) - {DEFAULT_WORKER}):
        yield f"node_groups.{name}", "openstack.cloud has no module for node groups", TERRAFORM
    for name in settings.clusters:
        yield f"clusters.{name}", "the playbook makes one cluster", "give it a settings file of its own"
    if settings.cluster.merge_labels:
        yield "cluster.merge_labels", "the module coe_cluster does not know merge_labels", TERRAFORM
    if settings.public_key:
        yield "public_key", "the role makes no keypair", "make it first (openstack keypair create) and leave it out"
    if settings.ingress.allowed_cidrs:
        yield "ingress.allowed_cidrs", "the role opens no port", TERRAFORM
    if settings.network.cidr:
        yield "network.cidr", "the role makes no network", "make it first and name it in network.fixed"
    for name, value in compiled.attributes.items():
        word = TEMPLATE_WORDS.get(name)
        if word is None:
            yield "cluster", f"the module coe_cluster_template does not know {name}", TERRAFORM
        elif word in CHOICES and value not in CHOICES[word]:
            known = ", ".join(CHOICES[word])
            path = "network.driver" if name == "network_driver" else f"cluster ({name})"
            yield path, f"the module coe_cluster_template takes {known}, not '{value}'", TERRAFORM


def _template(settings: Settings, compiled: Compiled) -> dict[str, Any]:
    """Attributes of the template beside its labels; those that the settings leave open are as the stack has them."""
    given = {TEMPLATE_WORDS[name]: value for name, value in compiled.attributes.items()}
    return {
        "is_floating_ip_enabled": False,
        "is_master_lb_enabled": settings.cluster.control_plane.count > 1,
        "network_driver": settings.network.driver,
        "server_type": settings.cluster.server_type,
        **{name: value for name, value in given.items() if value is not None},
    }
