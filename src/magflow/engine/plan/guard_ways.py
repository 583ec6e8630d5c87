"""The ways that keep a cluster: what to do in place of a change that would replace or delete something.

What can change in place is the provider's own list: a cluster's node_count and cluster_template_id, a node group's
node_count, min_node_count and max_node_count (terraform-provider-openstack 3.4.0; its documentation is wrong about
cluster_template_id, see its issue 1625).
"""

from __future__ import annotations

import shlex
from collections.abc import Collection

from magflow.engine.plan import ResourceChange
from magflow.engine.plan.holdings import CLUSTER

_OF_CLUSTER = {
    "labels": "labels of a cluster cannot change in place: put them in a new cluster template and point "
    "cluster_template_id at it, which Magnum upgrades in place; an autoscaler's bounds go in a node group's "
    "min_node_count and max_node_count",
    "merge_labels": "leave merge_labels as the cluster was made, or name it in lifecycle.ignore_changes",
    "flavor": "add a node group of that flavor, move the work there, then set node_count of the old nodes to 0",
}
_ONLY_IN_PLACE = (
    "undo it: only node_count and cluster_template_id of a cluster change in place; for the rest make a second cluster "
    "beside it and move the work there"
)
_GROUP = "make a second node group with the new values, move the work there, then remove this one"
_WITH_CLUSTER = "it goes because its cluster is replaced: keep the cluster and it stays"

IN_USE = (
    "make a new template with a new, versioned name (create_before_destroy) and point cluster_template_id at it: "
    "Magnum upgrades the cluster in place, then the old template can go"
)


def allowing(address: str) -> str:
    """The words that let one resource through."""
    return f"to go through with it: --allow {shlex.quote(address)}"


def to_keep(change: ResourceChange, created: Collection[ResourceChange]) -> str:
    """What to do in place of a replacement or a deletion.

    Args:
        change: the change.
        created: what the same plan creates: a thing that only moved is among it.
    """
    if change.action == "delete":
        moved = [other for other in created if (other.kind, other.name) == (change.kind, change.name)]
        if moved:
            return (
                f"the plan creates the same name at {moved[0].address}; if it only moved, say so: "
                f"moved {{ from = {change.address}, to = {moved[0].address} }}"
            )
        if change.kind == CLUSTER:
            return "put its block back; to take a whole environment down: magflow destroy"
        return "put its block back, or move its work to another group first"
    forcing = {item.path.split(".")[0] for item in change.attributes if item.forces_replacement}
    if change.kind == CLUSTER:
        ways = [way for name, way in _OF_CLUSTER.items() if name in forcing]
        return "; ".join(ways) if ways and forcing <= _OF_CLUSTER.keys() else "; ".join([*ways, _ONLY_IN_PLACE])
    return _WITH_CLUSTER if forcing == {"cluster_id"} else _GROUP
