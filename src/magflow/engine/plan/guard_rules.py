"""The rules of the plan guard. Each looks at one change and gives at most one finding, at the resource's address."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from magflow.engine.plan import UNKNOWN, AttributeChange, PlanSummary, ResourceChange, guard_ways
from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP, TAINTED, TEMPLATE, Holding
from magflow.findings import Finding, error, warning

SHOWN = 6
"""Attributes in one sentence; a plan that rewrites a whole template has dozens."""

_WORDS = {CLUSTER: "cluster", NODE_GROUP: "node group", TEMPLATE: "cluster template"}
_CODES = {CLUSTER: "CLUSTER", NODE_GROUP: "NODEGROUP"}
_VERBS = {"replace": "REPLACES", "delete": "DELETES"}
_REASONS = {
    TAINTED: "it is marked as tainted",
    "replace_by_request": "-replace asks for it",
    "replace_by_triggers": "replace_triggered_by asks for it",
    "replace_because_cannot_update": "",
    "delete_because_no_resource_config": "its block is gone from the configuration",
    "delete_because_no_module": "its module is gone from the configuration",
    "delete_because_count_index": "its index is beyond count",
    "delete_because_each_key": "its key is gone from for_each",
    "delete_because_wrong_repetition": "count or for_each came or went",
    "delete_because_no_move_target": "its moved block leads nowhere",
}
_UNTOUCHED = {"updated_at", "links"}
_PUBLISHED = {"hidden", "name", "public"}
"""Magnum lets one of these be changed alone in a template that is used (magnum/db/sqlalchemy/api.py, 22.0.0)."""


@dataclass(frozen=True)
class _Plan:
    """The plan with what the rules look things up in."""

    created: tuple[ResourceChange, ...]
    holdings: dict[str, Holding]
    clusters: dict[str, Holding]
    by_template: dict[str, list[Holding]]
    templates: dict[str, Holding]
    drifted: dict[str, AttributeChange]
    users: Mapping[str, Mapping[str, str]]
    tainted_is_broken: bool


def apply(plan: PlanSummary, users: Mapping[str, Mapping[str, str]], *, tainted_is_broken: bool) -> Iterator[Finding]:
    """All findings, in the plan's order; the arguments are those of `guard.examine`."""
    by_template: dict[str, list[Holding]] = defaultdict(list)
    for holding in plan.holdings:
        if holding.kind == CLUSTER and holding.template:
            by_template[holding.template].append(holding)
    known = _Plan(
        created=tuple(change for change in plan.created if change.kind in _CODES),
        holdings={holding.address: holding for holding in plan.holdings},
        clusters={holding.id: holding for holding in plan.holdings if holding.kind == CLUSTER},
        by_template=by_template,
        templates={holding.id: holding for holding in plan.holdings if holding.kind == TEMPLATE},
        drifted={
            change.address: item for change in plan.drift for item in change.attributes if item.path == "node_count"
        },
        users=users,
        tainted_is_broken=tainted_is_broken,
    )
    for change in plan.changes:
        if change.kind in _WORDS:
            for rule in (_merge_labels, _destroys, _autoscaler, _template_in_use, _loses_labels):
                if finding := rule(change, known):
                    yield finding


def _destroys(change: ResourceChange, plan: _Plan) -> Finding | None:
    if change.kind not in _CODES or change.action not in _VERBS:
        return None
    if change.reason == TAINTED and plan.tainted_is_broken:
        return None
    forcing = [item for item in change.attributes if item.forces_replacement]
    why = listed(forcing) if forcing else _REASONS.get(change.reason or "", change.reason or "")
    return error(
        f"PLAN_{_VERBS[change.action]}_{_CODES[change.kind]}",
        change.address,
        f"the plan would {change.action} {_named(change)}" + (f": {why}" if why else ""),
        guard_ways.to_keep(change, plan.created),
    )


def _merge_labels(change: ResourceChange, _plan: _Plan) -> Finding | None:
    """Magnum does not tell the flag of one that is imported (terraform-provider-openstack issue 1327, PR 1435)."""
    for item in change.attributes:
        if item.path == "merge_labels" and item.forces_replacement and item.after is True and not item.before:
            return warning(
                "MERGE_LABELS_NOT_READABLE",
                change.address,
                f"Magnum does not tell merge_labels of {_named(change)}, so an imported one is replaced: {shown(item)}",
                "lifecycle { ignore_changes = [merge_labels, labels] } in its block",
            )
    return None


def _autoscaler(change: ResourceChange, plan: _Plan) -> Finding | None:
    """The plan would undo what an autoscaler did (opentelekomcloud/terraform-provider-opentelekomcloud issue 1255)."""
    count = next((item for item in change.attributes if item.path == "node_count"), None)
    if change.action != "update" or count is None:
        return None
    live, wanted = count.before, count.after
    drifted = change.address in plan.drifted
    if not isinstance(live, int) or not isinstance(wanted, int) or not _autoscaled(change.address, drifted, plan):
        return None
    what = f"node_count of {_named(change)} is the autoscaler's: configured {wanted}, live {live}"
    hint = "lifecycle { ignore_changes = [node_count] } in its block, and min_node_count and max_node_count for bounds"
    if wanted < live:
        return error("AUTOSCALER_CONFLICT", change.address, f"{what}; the plan would remove {live - wanted}", hint)
    # more nodes end no work; but when the autoscaler took them away, it will again
    return warning("AUTOSCALER_CONFLICT", change.address, what, hint) if drifted else None


def _autoscaled(address: str, drifted: bool, plan: _Plan) -> bool:
    holding = plan.holdings.get(address)
    chain = [holding]
    if holding and holding.kind == NODE_GROUP:
        chain.append(plan.clusters.get(holding.cluster or ""))
    cluster = chain[-1]
    if cluster and cluster.kind == CLUSTER:
        chain.append(plan.templates.get(cluster.template or ""))
    said = next((one.autoscaling for one in chain if one and one.autoscaling is not None), None)
    if said is not None:
        return said
    # no label: an autoscaler of the operator's own, if there are bounds for one and the count moved by itself
    return drifted and bool(holding and holding.max_nodes)


def _template_in_use(change: ResourceChange, plan: _Plan) -> Finding | None:
    """Magnum refuses it in the middle of the apply (terraform-provider-openstack issue 949)."""
    holding = plan.holdings.get(change.address)
    if change.kind != TEMPLATE or not holding or change.action == "create":
        return None
    users = plan.by_template.get(holding.id, [])
    changed = [item for item in change.attributes if item.path.split(".")[0] not in _UNTOUCHED]
    if change.action == "update":
        if not changed or ({item.path for item in changed} <= _PUBLISHED and len(changed) == 1):
            return None
        what = f"is changed in place: {listed(changed)}"
    else:
        staying = [user for user in users if not user.leaves]
        users = staying if holding.deleted_first else [user for user in staying if user.next_template == holding.id]
        what = "would be deleted first" if change.action == "replace" else "would be deleted"
    names = [f"'{name}'" for name in [*(user.name for user in users), *_strangers(holding, plan)]]
    if not names:
        return None
    return error(
        "TEMPLATE_IN_USE",
        change.address,
        f"{_named(change)} {what}; Magnum refuses that while it is used by {', '.join(names)}",
        guard_ways.IN_USE,
    )


def _strangers(template: Holding, plan: _Plan) -> list[str]:
    """Clusters of others on the template; the plan moves only its own."""
    return [name for id_, name in plan.users.get(template.id, {}).items() if id_ not in plan.clusters]


def _loses_labels(change: ResourceChange, plan: _Plan) -> Finding | None:
    """Labels that the clusters of a template would lose when they move to its successor."""
    holding = plan.holdings.get(change.address)
    if change.kind != TEMPLATE or change.action != "replace" or not holding or not plan.by_template.get(holding.id):
        return None
    if any(item.path == "labels" and item.after == UNKNOWN for item in change.attributes):
        return None
    lost = [item for item in change.attributes if item.path.startswith("labels.") and item.after is None]
    if not lost:
        return None
    return error(
        "PLAN_LOSES_LABELS",
        change.address,
        f"{_named(change)} would lose {listed(lost)}",
        "set the label to the value that is wanted (false, or the driver's default) rather than leaving it out",
    )


def listed(items: Iterable[AttributeChange]) -> str:
    """Attributes with old and new value, in one line."""
    words = [shown(item) for item in items]
    more = [f"and {len(words) - SHOWN} more"] if len(words) > SHOWN else []
    return ", ".join(words[:SHOWN] + more)


def shown(item: AttributeChange) -> str:
    """`labels.max_node_count (3 -> 6)`."""
    return f"{item.path} ({_value(item.before)} -> {_value(item.after)})"


def _value(value: Any) -> str:
    if value is None:
        return "absent"
    return value if isinstance(value, str) else json.dumps(value)


def _named(change: ResourceChange) -> str:
    return f"{_WORDS[change.kind]} '{change.name}'"
