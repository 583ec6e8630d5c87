"""How many changes Terraform may make at a time.

A Helm-based driver fails the second of two changes of one cluster (2i2c-org/infrastructure issue 5455), and Terraform
cannot order the instances of one `for_each`. So where one cluster has several, everything is done one at a time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from magflow.engine.plan import PlanSummary, ResourceChange
from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP

_GROUP = re.compile(r'module\.node_group\["([^"/]+)/[^"]+"\]')
_CLUSTER = re.compile(r'module\.cluster\["([^"]+)"\]')


def cluster_of(change: ResourceChange) -> str | None:
    """The cluster that a change of the stack `cluster` is about; None when it is about none, or not of that stack."""
    found = _GROUP.search(change.address) or _CLUSTER.search(change.address)
    return found[1] if found and change.kind in {CLUSTER, NODE_GROUP} else None


def of_plan(plan: PlanSummary, most: int) -> int:
    """How many of a plan's changes may be made at a time.

    Args:
        plan: of the stack `cluster`, or of one without clusters.
        most: clusters that may be changed at a time.
    """
    groups = Counter(cluster_of(change) for change in plan.changes if change.kind == NODE_GROUP)
    # a group waits for its cluster to be made or changed, but not a deleted one
    for change in plan.updated:
        name = cluster_of(change)
        if change.kind == CLUSTER and groups[name]:
            groups[name] += 1
    return most if max(groups.values(), default=0) <= 1 else 1


def of_groups(groups: Mapping[str, int], most: int) -> int:
    """How many changes a destroy may make at a time.

    Args:
        groups: how many node groups beside Magnum's own each cluster has.
        most: clusters that may be destroyed at a time.
    """
    return most if max(groups.values(), default=0) <= 1 else 1
