"""What a Terraform plan would do: the base of the plan guard. Secrets are masked on the way in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from magflow.engine.plan.holdings import Holding, holdings, words

Action = Literal["create", "update", "replace", "delete"]

SECRET = "(sensitive)"  # noqa: S105 - the mask, not a secret
UNKNOWN = "(known after apply)"
# A second line behind the provider's own marks.
_SECRET_NAME = re.compile(r"password|passwd|secret|token|private_?key|client_key|kubeconfig|raw_config", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+@")
"""Name and password in a URL, such as a proxy's."""
_ACTIONS: Mapping[tuple[str, ...], Action] = {
    ("create",): "create",
    ("update",): "update",
    ("delete",): "delete",
    ("delete", "create"): "replace",
    ("create", "delete"): "replace",
}


@dataclass(frozen=True)
class AttributeChange:
    """One changed attribute: its path, both values (None: absent), and whether it makes the resource be replaced."""

    path: str
    before: Any
    after: Any
    forces_replacement: bool = False


@dataclass(frozen=True)
class ResourceChange:
    """One changed resource.

    Args:
        address: such as `module.stack.module.cluster.openstack_containerinfra_cluster_v1.this`.
        kind: the resource's type.
        name: the value of its `name` attribute, else of its id.
        action: what would happen to it.
        reason: Terraform's reason for it, such as replace_because_tainted.
        attributes: what differs.
    """

    address: str
    kind: str
    name: str
    action: Action
    reason: str | None
    attributes: tuple[AttributeChange, ...]


@dataclass(frozen=True)
class PlanSummary:
    """A plan: changes of resources, what differs from the state outside of Terraform, and the outputs that change.

    Attributes:
        holdings: what the state holds of Magnum, changed or not.
    """

    changes: tuple[ResourceChange, ...]
    drift: tuple[ResourceChange, ...]
    outputs: tuple[str, ...]
    holdings: tuple[Holding, ...] = ()

    def __add__(self, other: PlanSummary) -> PlanSummary:
        return PlanSummary(
            self.changes + other.changes,
            self.drift + other.drift,
            self.outputs + other.outputs,
            self.holdings + other.holdings,
        )

    def of(self, action: Action) -> tuple[ResourceChange, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.action == action)

    @property
    def created(self) -> tuple[ResourceChange, ...]:
        """What would be made."""
        return self.of("create")

    @property
    def updated(self) -> tuple[ResourceChange, ...]:
        """What would be changed in place."""
        return self.of("update")

    @property
    def replaced(self) -> tuple[ResourceChange, ...]:
        """What would be destroyed and made anew."""
        return self.of("replace")

    @property
    def deleted(self) -> tuple[ResourceChange, ...]:
        """What would be destroyed."""
        return self.of("delete")

    @property
    def empty(self) -> bool:
        """Whether Terraform would say "No changes"."""
        return not self.changes and not self.outputs


def summarize(plan: Mapping[str, Any]) -> PlanSummary:
    """The summary of `terraform show -json PLAN`.

    Args:
        plan: the decoded JSON, format 1.x.
    """
    outputs = plan.get("output_changes") or {}
    return PlanSummary(
        changes=tuple(_changes(plan.get("resource_changes") or [])),
        drift=tuple(_without_clock(_changes(plan.get("resource_drift") or []))),
        outputs=tuple(sorted(name for name, change in outputs.items() if change["actions"] != ["no-op"])),
        holdings=holdings(plan),
    )


def _changes(entries: list[dict[str, Any]]) -> Iterator[ResourceChange]:
    for entry in entries:
        change = entry["change"]
        action = _ACTIONS.get(tuple(change["actions"]))
        if action is None or entry.get("mode") == "data":
            continue
        before, after = change.get("before") or {}, change.get("after") or {}
        yield ResourceChange(
            address=str(entry["address"]),
            kind=str(entry["type"]),
            name=str(before.get("name") or after.get("name") or before.get("id") or entry["name"]),
            action=action,
            reason=words(entry.get("action_reason")),
            attributes=tuple(_attributes(change)),
        )


def _without_clock(changes: Iterable[ResourceChange]) -> Iterator[ResourceChange]:
    """Drops what differs in its time of change alone: every node group that changes leaves that on the cluster."""
    for change in changes:
        telling = tuple(item for item in change.attributes if item.path != "updated_at")
        if telling or change.action != "update":
            yield replace(change, attributes=telling)


def _attributes(change: Mapping[str, Any]) -> Iterator[AttributeChange]:
    forcing = [tuple(str(part) for part in path) for path in change.get("replace_paths") or []]
    before = dict(_leaves(change.get("before"), change.get("before_sensitive"), None))
    after = dict(_leaves(change.get("after"), change.get("after_sensitive"), change.get("after_unknown")))
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, (None, None)), after.get(path, (None, None))
        if old[0] == new[0]:
            continue
        yield AttributeChange(
            path=".".join(path),
            before=old[1],
            after=new[1],
            forces_replacement=any(path[: len(force)] == force for force in forcing),
        )


def _leaves(
    value: Any, sensitive: Any, unknown: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[Any, Any]]]:
    """Each leaf's path with (what to compare, what to show)."""
    if unknown is True:
        yield path, (UNKNOWN, UNKNOWN)
        return
    if sensitive is True or (path and _SECRET_NAME.search(path[-1])):
        if value is not None:
            yield path, (value, SECRET)
        return
    parts: dict[str, Any] = {}
    if isinstance(value, dict):
        parts = dict(value)
    elif isinstance(value, list):
        parts = {str(index): item for index, item in enumerate(value)}
    if isinstance(unknown, dict):
        parts |= {name: None for name in unknown if name not in parts}
    if not parts:
        if value is not None and value != {} and value != []:
            yield path, (value, _IN_ADDRESS.sub(f"{SECRET}@", value) if isinstance(value, str) else value)
        return
    for name, item in parts.items():
        yield from _leaves(item, _part(sensitive, name), _part(unknown, name), (*path, name))


def _part(marks: Any, name: str) -> Any:
    if isinstance(marks, dict):
        return marks.get(name)
    if isinstance(marks, list) and name.isdigit() and int(name) < len(marks):
        return marks[int(name)]
    return None
