"""Settings and facts, in the words of Terraform and of Ansible. This is the only translator between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from magflow.facts import Facts
from magflow.settings import DEFAULT_WORKER, IngressNodes, NodeGroup, Settings


def terraform_vars(settings: Settings) -> dict[str, Any]:
    """The variables of the stack `cluster`.

    Every key is declared in terraform/stacks/cluster/variables.tf: Terraform itself only warns of one that is not, and
    drops a misspelt optional attribute, so a contract test compares the two.
    """
    cluster, network = settings.cluster, settings.network
    workers = settings.node_groups[DEFAULT_WORKER]
    return {
        "cloud": settings.cloud.name,
        "template": {
            "name": cluster.name,
            "image": settings.image.name,
            "external_network": network.external,
            "fixed_network": network.fixed,
            "fixed_subnet": network.subnet,
            "network_driver": network.driver,
            "labels": dict(sorted(cluster.extra_labels.items())),
        },
        "cluster": {
            "name": cluster.name,
            "keypair": settings.keypair,
            "create_timeout": cluster.create_timeout,
            "control_plane": {"count": cluster.control_plane.count, "flavor": cluster.control_plane.flavor},
            "workers": {"count": workers.count, "flavor": workers.flavor},
        },
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
        "node_groups": {name: _pool(group) for name, group in sorted(settings.node_groups.items())},
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


def _pool(group: NodeGroup) -> dict[str, Any]:
    return {
        "count": group.count,
        "gpus": group.gpus,
        "labels": dict(sorted(group.labels.items())),
        "taints": [taint.model_dump() for taint in group.taints],
    }


def _rule(nodes: str | IngressNodes) -> str | dict[str, str]:
    return nodes if isinstance(nodes, str) else nodes.model_dump(exclude_none=True)
