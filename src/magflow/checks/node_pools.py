"""Stage node_pools: labels and taints as asked, GPUs allocatable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from magflow.checks.model import NotApplicable, Problem, check
from magflow.checks.world import World
from magflow.findings import Finding, error
from magflow.kube import nodes
from magflow.settings import NodeGroup

GPU = "nvidia.com/gpu"


def members(world: World) -> Iterator[tuple[str, NodeGroup, list[dict[str, Any]]]]:
    """Each group of the settings with its nodes.

    Raises:
        Problem: a group that should have nodes has none.
    """
    groups = world.settings.node_groups
    found = nodes.by_group(world.kube.nodes(), groups, world.facts.cluster.name)
    for name, group in groups.items():
        if world.settings.fewest(name) and not found[name]:
            raise Problem(f"group '{name}' has no node", hint="magflow verify --stage cluster")
        yield name, group, found[name]


@check("labels-are-set", "every node carries the labels of its group")
def labels_are_set(world: World) -> str:
    """Compares labels; those that others put on the nodes do not count."""
    looked = 0
    lacking: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for name, group, its_nodes in members(world):
        for node in its_nodes:
            there = nodes.labels(node)
            looked += len(group.labels)
            for key, value in group.labels.items():
                if there.get(key) != value:
                    lacking.setdefault((name, key, value), []).append(node)
    if lacking:
        found = [_label_missing(*wanted, its_nodes) for wanted, its_nodes in lacking.items()]
        raise Problem(f"{sum(map(len, lacking.values()))} of {looked} labels are missing or differ", findings=found)
    if not looked:
        raise NotApplicable("no group with nodes has labels")
    return f"{looked} labels"


def _label_missing(group: str, key: str, value: str, its_nodes: list[dict[str, Any]]) -> Finding:
    """Names nodes, key, and the labels that are there in its place.

    Drivers leave a group's role and labels on Magnum's side, or use a key of their own (2i2c-org/infrastructure issue
    5518, magnum-cluster-api issues 164 and 198).
    """
    names = ", ".join(nodes.name(node) for node in its_nodes)
    present = sorted({f"{k}={v}" for node in its_nodes for k, v in nodes.labels(node).items() if not _builtin(k)})
    same = sorted({f"{key}={v}" for node in its_nodes if (v := nodes.labels(node).get(key))})
    what = f"has {', '.join(same)}" if same else f"has no {key}"
    return error(
        "NODEGROUP_LABEL_MISSING",
        f"node_groups.{group}",
        f"{names} {what}, wanted {value}; labels there: {', '.join(present) or 'none'}",
        "magflow deploy --only node_pools sets it; a selector may also use one of the labels that are there",
    )


def _builtin(key: str) -> bool:
    """Labels that every kubelet sets; they tell nothing of groups."""
    return key.startswith(("kubernetes.io/", "beta.kubernetes.io/"))


@check("taints-are-set", "every node carries the taints of its group")
def taints_are_set(world: World) -> str:
    """Compares taints."""
    wrong, looked = [], 0
    for _, group, its_nodes in members(world):
        for node in its_nodes:
            there = {(t["key"], t.get("value") or "", t["effect"]) for t in node["spec"].get("taints") or []}
            looked += len(group.taints)
            wrong += [
                f"{nodes.name(node)} lacks {taint.key}={taint.value}:{taint.effect}"
                for taint in group.taints
                if (taint.key, taint.value, taint.effect) not in there
            ]
    if wrong:
        raise Problem("; ".join(wrong), hint="magflow deploy --only node_pools sets them")
    if not looked:
        raise NotApplicable("no group with nodes has taints")
    return f"{looked} taints"


@check("gpus-are-allocatable", "Kubernetes can allocate the GPUs of every GPU node", within=300)
def gpus_are_allocatable(world: World) -> str:
    """Reads status.allocatable: a label, or a capacity alone, is no GPU (NVIDIA/k8s-device-plugin issues 58, 285)."""
    short, total = [], 0
    for _, group, its_nodes in members(world):
        for node in its_nodes if group.gpus else ():
            there = int((node["status"].get("allocatable") or {}).get(GPU, 0))
            total += there
            if there < group.gpus:
                short.append(f"{nodes.name(node)} has {there} of {group.gpus}")
    if short:
        raise Problem("; ".join(short), hint="look at the device plugin's pods and the driver on that node")
    if not total:
        raise NotApplicable("no group with nodes has GPUs")
    return f"{total} x {GPU}"
