"""Node groups as Kubernetes sees them: which node belongs to which, and what it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from magflow.kube.objects import Object, condition

GROUP_LABELS = (
    "capi.stackhpc.com/node-group",
    "magnum.openstack.org/nodegroup",
    "node.cluster.x-k8s.io/nodegroup",
)
"""What drivers put on nodes: capi-helm's chart, Magnum's Heat drivers, magnum-cluster-api."""

CONTROL_PLANE_LABELS = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
DEFAULT_WORKER = "default-worker"
HEAT_WORKER = re.compile(r"-(minion|node)-\d+$")
"""Heat drivers name the default group's nodes so, and older ones label nothing."""


def labels(node: Object) -> dict[str, str]:
    """The labels of a node."""
    return node["metadata"].get("labels") or {}


def name(node: Object) -> str:
    """The name of a node."""
    return str(node["metadata"]["name"])


def natural(node: Object) -> list[tuple[int, str]]:
    """Sort key: node-2 comes before node-10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name(node))]


def is_control_plane(node: Object) -> bool:
    """Whether a node belongs to the control plane, by its labels or by the name that Magnum's drivers give."""
    return any(key in labels(node) for key in CONTROL_PLANE_LABELS) or bool(
        re.search(r"-(master|control-plane)-", name(node))
    )


def is_ready(node: Object) -> bool:
    """Whether the node's Ready condition is True."""
    return condition(node, "Ready") == "True"


def group_of(node: Object, groups: Iterable[str], cluster: str = "") -> str | None:
    """The node group of a node, or None.

    Args:
        node: the node.
        groups: known group names.
        cluster: the cluster's name; node names start with it.

    The drivers' labels decide. Without any, the name does: `<cluster...>-<group>-...`, the longest group that fits.
    """
    known = set(groups)
    given = next((labels(node)[key] for key in GROUP_LABELS if key in labels(node)), None)
    if given is not None:
        return given if given in known else None
    if is_control_plane(node) or not name(node).startswith(cluster):
        return None
    rest = name(node)[len(cluster) :]
    for group in sorted(known, key=len, reverse=True):
        if f"-{group}-" in rest:
            return group
    return DEFAULT_WORKER if DEFAULT_WORKER in known and HEAT_WORKER.search(rest) else None


def by_group(nodes: Iterable[Object], groups: Iterable[str], cluster: str = "") -> dict[str, list[Object]]:
    """Nodes of each group, in natural order of their names; groups without nodes have an empty list."""
    known = list(groups)
    found: dict[str, list[Object]] = {group: [] for group in known}
    for node in sorted(nodes, key=natural):
        group = group_of(node, known, cluster)
        if group:
            found[group].append(node)
    return found
