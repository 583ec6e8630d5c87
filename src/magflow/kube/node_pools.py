"""Labels and taints of node groups. What others put on the nodes stays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from magflow.kube.client import Kube
from magflow.kube.compare import Diff, text
from magflow.kube.nodes import by_group, labels, name, natural
from magflow.kube.objects import Object
from magflow.kube.retry import NotYet, Patience
from magflow.kube.ssa import server_side_apply

MANAGER = "magflow-node-pools"
"""Own field manager: a Node is shared, and one that also did the ingress label would drop it with each apply."""
OURS = "magflow.io/node-pools"
"""Annotation: keys of labels and taints that are ours, so that what is asked for no longer can be taken away."""


TaintSpec = dict[str, Any]
"""A taint as the API has it: key, effect, perhaps value and timeAdded."""


@dataclass(frozen=True)
class Pool:
    """What the nodes of a group shall carry.

    Attributes:
        count: least number of nodes that must be there.
        labels: labels of every node.
        taints: taints of every node.
    """

    count: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[TaintSpec] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any], gpu_labels: Mapping[str, str] | None = None) -> Pool:
        """A pool from the settings' words (count, gpus, labels, taints); `gpu_labels` are added where it has GPUs."""
        more = (gpu_labels or {}) if given.get("gpus") else {}
        # the settings' own labels win
        return cls(
            count=int(given.get("count") or 0),
            labels={str(key): str(value) for key, value in {**more, **(given.get("labels") or {})}.items()},
            taints=tuple(dict(taint) for taint in given.get("taints") or ()),
        )


@dataclass(frozen=True)
class NodeChange:
    """What was done, or would be done, to one node.

    Attributes:
        node: its name.
        group: its node group.
        repaired: labels that were ours and had been given another value by someone else, in words.
        diff: labels and taints before and after; None when nothing changes.
    """

    node: str
    group: str
    repaired: tuple[str, ...] = ()
    diff: Diff | None = None

    @property
    def changed(self) -> bool:
        """Whether the node was written."""
        return self.diff is not None


def apply_pools(
    kube: Kube,
    pools: Mapping[str, Pool],
    *,
    cluster: str = "",
    dry_run: bool = False,
    force: bool = False,
    deadline: float = 60.0,
) -> list[NodeChange]:
    """Gives every node of every pool its labels and taints; what others put on the nodes stays.

    Args:
        kube: the cluster.
        pools: by node group.
        cluster: the cluster's name.
        dry_run: only say what would change.
        force: take over labels that others gave another value.
        deadline: seconds that missing nodes may be waited for.

    Returns:
        one entry a node, in the order of groups and names.

    Raises:
        MagflowError: when a group has fewer nodes than its count; Conflict when a label belongs to someone else.
    """
    patience = Patience(deadline)
    found = patience.call(lambda: _complete(kube, pools, cluster))
    return [
        patience.call(lambda n=node, g=group: _give(kube, name(n), g, pools[g], dry_run, force))  # type: ignore[misc]
        for group, members in found.items()
        for node in members
    ]


def _complete(kube: Kube, pools: Mapping[str, Pool], cluster: str) -> dict[str, list[Object]]:
    nodes = kube.nodes()
    found = by_group(nodes, pools, cluster)
    short = [f"'{g}' has {len(found[g])} of {p.count}" for g, p in pools.items() if len(found[g]) < p.count]
    if short:
        raise NotYet(
            f"node groups lack nodes: {', '.join(short)}",
            where=kube.host,
            hint=f"nodes there: {', '.join(name(node) for node in sorted(nodes, key=natural)) or 'none'}",
        )
    return found


def _give(kube: Kube, node_name: str, group: str, pool: Pool, dry_run: bool, force: bool) -> NodeChange:
    node = kube.get("v1", "Node", node_name)
    if node is None:
        raise NotYet(f"node {node_name} went away", where=kube.host)
    ours = _ours(node)
    other = {key for key, value in pool.labels.items() if labels(node).get(key, value) != value}
    repaired = tuple(f"{key} was '{labels(node)[key]}'" for key in sorted(other & ours["labels"]))
    # a label that was ours is ours to repair; one that never was is a conflict, and shown
    force = force or (bool(other) and other <= ours["labels"])
    labelled = server_side_apply(kube, _labels(node, pool), MANAGER, force=force, dry_run=dry_run)
    taints = _taints(node, pool, ours["taints"])
    if taints != _live_taints(node) and not dry_run:
        # a list that is replaced as a whole: the version makes a taint that came meanwhile a 409, and we look again
        change = {
            "metadata": {"resourceVersion": labelled["metadata"]["resourceVersion"]},
            "spec": {"taints": taints or None},
        }
        kube.patch(node, change, query={"fieldManager": MANAGER})
    before, after = _shown(node, _live_taints(node)), _shown(labelled, taints)
    return NodeChange(node_name, group, repaired, Diff(text(before), text(after)) if before != after else None)


def _labels(node: Object, pool: Pool) -> Object:
    record = {"labels": sorted(pool.labels), "taints": sorted({taint["key"] for taint in pool.taints})}
    # with its uid, a node that went away in the meantime is a 409 and not made anew out of labels
    metadata: Object = {"name": name(node), "uid": node["metadata"]["uid"]}
    # an empty map would be a claim on all labels
    if pool.labels:
        metadata["labels"] = dict(pool.labels)
    if any(record.values()):
        metadata["annotations"] = {OURS: json.dumps(record, separators=(",", ":"))}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def _ours(node: Object) -> dict[str, set[str]]:
    try:
        record = json.loads((node["metadata"].get("annotations") or {}).get(OURS, "{}"))
        return {key: set(record.get(key, ())) for key in ("labels", "taints")}
    except (ValueError, AttributeError, TypeError):
        return {"labels": set(), "taints": set()}


def _live_taints(node: Object) -> list[TaintSpec]:
    return (node.get("spec") or {}).get("taints") or []


def _taints(node: Object, pool: Pool, ours: set[str]) -> list[TaintSpec]:
    """The whole list as it shall be: others' taints as they are, ours as asked, those that were ours gone."""
    asked = {(t["key"], t["effect"]): _taint(t) for t in pool.taints}
    kept = []
    for taint in _live_taints(node):
        want = asked.pop((taint["key"], taint["effect"]), None)
        if want and want.get("value") != taint.get("value"):
            kept.append(want)
        elif want or taint["key"] not in ours:
            kept.append(taint)
    return kept + list(asked.values())


def _taint(taint: TaintSpec) -> TaintSpec:
    return {key: taint[key] for key in ("key", "value", "effect") if taint.get(key)}


def _shown(node: Object, taints: Sequence[TaintSpec]) -> Object:
    words = [f"{t['key']}={t.get('value', '')}:{t['effect']}" for t in taints]
    return {"labels": dict(sorted(labels(node).items())), "taints": words}
