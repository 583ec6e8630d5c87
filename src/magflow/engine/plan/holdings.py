"""What Terraform holds of Magnum, changed by a plan or not: which cluster uses which template, and who counts nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CLUSTER = "openstack_containerinfra_cluster_v1"
NODE_GROUP = "openstack_containerinfra_nodegroup_v1"
TEMPLATE = "openstack_containerinfra_clustertemplate_v1"
TAINTED = "replace_because_tainted"
"""Terraform's reason for a replacement after a creation that was interrupted."""
KINDS = frozenset({CLUSTER, NODE_GROUP, TEMPLATE})

AUTOSCALING = "auto_scaling_enabled"
"""Magnum's label (user guide, "Cluster Auto Scaling"); its text is true or false in any case."""


@dataclass(frozen=True)
class Holding:
    """A cluster, node group or cluster template of the state.

    Attributes:
        address: its address.
        kind: its resource type.
        id: Magnum's id; a node group's is `CLUSTER/GROUP`.
        name: its name.
        template: the template that a cluster uses now.
        next_template: the template that it uses after the plan; None when that is not known yet, or it is gone.
        leaves: the plan deletes or replaces it.
        deleted_first: the plan replaces it and deletes the old one first.
        cluster: the cluster that a node group belongs to.
        autoscaling: what the label auto_scaling_enabled says; None without the label.
        max_nodes: an autoscaler's upper bound.
    """

    address: str
    kind: str
    id: str
    name: str
    template: str | None
    next_template: str | None
    leaves: bool
    deleted_first: bool
    cluster: str | None
    autoscaling: bool | None
    max_nodes: int | None


def holdings(plan: Mapping[str, Any]) -> tuple[Holding, ...]:
    """All of them, from the decoded JSON of a plan; those that a targeted plan leaves out come from its prior state."""
    found: dict[str, Holding] = {}
    for entry in plan.get("resource_changes") or []:
        if entry.get("type") in KINDS and entry.get("mode") != "data" and entry["change"].get("before"):
            change = entry["change"]
            found[entry["address"]] = _holding(entry, change["before"], change.get("after"), change["actions"])
    state = (plan.get("prior_state") or {}).get("values") or {}
    for entry in _resources(state.get("root_module") or {}):
        if entry.get("type") in KINDS and entry.get("mode") != "data" and entry["address"] not in found:
            values = entry.get("values") or {}
            found[entry["address"]] = _holding(entry, values, values, ["no-op"])
    return tuple(found.values())


def _resources(module: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    modules = [module]
    while modules:
        this = modules.pop()
        yield from this.get("resources") or []
        modules += this.get("child_modules") or []


def _holding(
    entry: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any] | None, actions: list[str]
) -> Holding:
    return Holding(
        address=str(entry["address"]),
        kind=entry["type"],
        id=str(before.get("id") or ""),
        name=str(before.get("name") or before.get("id") or entry["name"]),
        template=words(before.get("cluster_template_id")),
        next_template=words((after or {}).get("cluster_template_id")),
        leaves="delete" in actions,
        deleted_first=actions == ["delete", "create"],
        cluster=words(before.get("cluster_id")),
        autoscaling=_truth((before.get("labels") or {}).get(AUTOSCALING)),
        max_nodes=before.get("max_node_count") or None,
    )


def words(value: Any) -> str | None:
    """A text or nothing; anything else is no plan's.

    Raises:
        ValueError: it is something else.
    """
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"a text was expected, not {str(value)[:40]!r}")


def _truth(label: Any) -> bool | None:
    return None if label is None else str(label).lower() == "true"
