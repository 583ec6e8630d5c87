"""Settings and facts, in the words of Terraform and of Ansible. This is the only translator between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from magflow.errors import MagflowError
from magflow.facts import Facts
from magflow.rules import labels
from magflow.rules.driver import target
from magflow.settings import DEFAULT_WORKER, IngressNodes, NodeGroup, Settings


def stack_vars(stack: str, settings: Settings) -> dict[str, Any]:
    """The variables of a stack under terraform/stacks, by its name.

    Every key is declared in the stack's variables.tf: Terraform itself only warns of one that is not, and drops a
    misspelt optional attribute, so a contract test compares the two.
    """
    return {"image": image_vars, "cluster": terraform_vars}[stack](settings)


def image_vars(settings: Settings) -> dict[str, Any]:
    """The variables of the stack `image`."""
    image = settings.image
    given = {"os_distro": image.os_distro, "os_version": image.os_version, "kube_version": image.kube_version}
    content = {
        "file": str(image.file),
        "checksum": image.checksum,
        "disk_format": image.disk_format,
        "properties": {name: value for name, value in given.items() if value},
    }
    return {"cloud": settings.cloud.name, "images": {image.name: content} if image.file else {}}


def terraform_vars(settings: Settings) -> dict[str, Any]:
    """The variables of the stack `cluster`: every cluster of the environment, each with a template of its own.

    Raises:
        MagflowError: the public key cannot be read.
    """
    each = {name: settings.of_cluster(name) for name in settings.cluster_names}
    compiled = {name: labels.compile(own) for name, own in each.items()}
    return {
        "cloud": settings.cloud.name,
        "keypair": {"name": settings.keypair, "public_key": _public_key(settings.public_key)},
        "network": _network(settings),
        "templates": {name: _template(own, compiled[name]) for name, own in each.items()},
        "clusters": {
            name: _cluster(own, compiled[name]) | {"access": _access(settings) if own is settings else None}
            for name, own in each.items()
        },
        "time_scale": settings.cloud.time_scale,
    }


def _public_key(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise MagflowError(
            f"cannot read the public key {file}: {reason}",
            where="public_key",
            hint="name the .pub file of a key pair, or leave public_key out when the keypair is in the cloud already",
        ) from None


def _network(settings: Settings) -> dict[str, Any]:
    network = settings.network
    made = {"name": settings.cluster.name, "cidr": network.cidr, "dns": [str(address) for address in network.dns]}
    return {
        "external": network.external,
        "existing": {"network": network.fixed, "subnet": network.subnet} if network.fixed else None,
        "create": made if network.cidr else None,
        "mtu": network.mtu,
    }


def _template(settings: Settings, compiled: labels.Compiled) -> dict[str, Any]:
    image = settings.image
    # of several images with one name it is the one that the stage image uploaded
    uploaded = {"magflow_checksum": image.checksum} if image.file and settings.stages.image else {}
    return {
        "image": image.name,
        "image_properties": uploaded,
        "network_driver": settings.network.driver,
        "labels": dict(sorted(compiled.template.items())),
        **compiled.attributes,
    }


def _cluster(settings: Settings, compiled: labels.Compiled) -> dict[str, Any]:
    cluster, workers = settings.cluster, settings.node_groups[DEFAULT_WORKER]
    return {
        "template": cluster.name,
        "create_timeout": cluster.create_timeout,
        "control_plane": {"count": cluster.control_plane.count, "flavor": cluster.control_plane.flavor},
        "workers": {"count": workers.count, "flavor": workers.flavor},
        "labels": compiled.own,
        "merge_labels": compiled.merge,
        "node_groups": {
            name: {
                "flavor": group.flavor,
                "count": group.count,
                "min": group.min,
                "max": group.max,
                "role": "worker",
            }
            for name, group in sorted(settings.node_groups.items())
            if name != DEFAULT_WORKER
        },
    }


def _access(settings: Settings) -> dict[str, Any] | None:
    """Ports 80 and 443 of the first cluster's workers; the module refuses it for another driver than Heat's."""
    if not settings.ingress.allowed_cidrs:
        return None
    return {"driver": target(settings).driver, "allowed_cidrs": sorted(settings.ingress.allowed_cidrs)}


def ansible_vars(settings: Settings, facts: Facts | None = None, kubeconfig: Path | None = None) -> dict[str, Any]:
    """The flat variables of the roles; each is named after its path in the settings.

    Args:
        settings: what the operator decided.
        facts: what the cloud answered; without them the settings' own words are used.
        kubeconfig: the cluster's kubeconfig; left out, the roles take the one they are given.
    """
    ingress, training, smoke = settings.ingress, settings.training, settings.smoke
    variables: dict[str, Any] = {
        "magflow_handoff": True,
        "cluster_name": facts.cluster.name if facts else settings.cluster.name,
        "node_groups": {
            name: _pool(group, settings.fewest(name)) for name, group in sorted(settings.node_groups.items())
        },
        "training_operator_version": training.operator,
        "training_operator_manifests": str(training.manifests or ""),
        "training_namespace": training.namespace,
        "ingress_domain": ingress.domain,
        "ingress_style": ingress.style,
        "ingress_nodes": _rule(ingress.nodes),
        "ingress_class": ingress.class_name,
        "ingress_address_type": ingress.address_type,
        "ingress_hosts": ingress.hosts.model_dump(mode="json"),
        "smoke_namespace": smoke.namespace,
        "smoke_name": smoke.name,
        "smoke_image": smoke.image,
        "smoke_ps": smoke.ps,
        "smoke_workers": smoke.workers,
        "smoke_gpus_per_worker": smoke.gpus_per_worker,
        "stages": settings.stages.model_dump(),
    }
    return variables | ({"kubeconfig": str(kubeconfig)} if kubeconfig else {})


def inventory() -> dict[str, Any]:
    """The inventory of a run: the roles speak to the cluster's API from this machine alone."""
    return {
        "all": {
            "hosts": {
                "localhost": {
                    "ansible_connection": "local",
                    "ansible_python_interpreter": "{{ ansible_playbook_python }}",
                }
            }
        }
    }


def _pool(group: NodeGroup, fewest: int) -> dict[str, Any]:
    return {
        "count": fewest,
        "gpus": group.gpus,
        "labels": dict(sorted(group.labels.items())),
        "taints": [taint.model_dump() for taint in group.taints],
    }


def _rule(nodes: str | IngressNodes) -> str | dict[str, str]:
    return nodes if isinstance(nodes, str) else nodes.model_dump(exclude_none=True)
