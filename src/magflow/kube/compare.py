"""Two states of an object: what can be compared and shown of them, and whose write lies between."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import yaml

from magflow.kube.objects import Object


@dataclass(frozen=True)
class Diff:
    """An object before and after, as YAML without bookkeeping and secret values."""

    before: str
    after: str


def essence(obj: Object | None) -> Object:
    """What of a live object can be compared and shown: no bookkeeping, no status, no secret values."""
    if obj is None:
        return {}
    obj = {key: value for key, value in obj.items() if key != "status"}
    bookkeeping = {"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"}
    obj["metadata"] = {key: value for key, value in obj["metadata"].items() if key not in bookkeeping}
    if obj["kind"] == "Secret":
        for field in ("data", "stringData"):
            if isinstance(obj.get(field), dict):
                obj[field] = {key: _veil(value) for key, value in obj[field].items()}
    return obj


def entry(manager: str, obj: Object) -> Object:
    """A manager's entry of managedFields, empty when it has none: what the server says is that manager's."""
    entries = obj["metadata"].get("managedFields") or []
    return next((e for e in entries if e.get("manager") == manager and e.get("operation") == "Apply"), {})


def written_by(manager: str, before: Object, after: Object) -> bool:
    """Whether the write between two states of an object was this manager's.

    The resourceVersion alone cannot tell: controllers write status, heartbeats and what they inject in between. The
    server stamps a manager's entry when the manager changes a field; within one second the stamps cannot be told apart,
    then the content decides.
    """
    if before["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"]:
        return False
    old, new = (entry(manager, obj) for obj in (before, after))
    if old != new:
        return True
    recent = datetime.now(UTC) - datetime.fromisoformat(new["time"]) < timedelta(seconds=3) if new else True
    return recent and essence(before) != essence(after)


def text(obj: Object) -> str:
    """An object as YAML, for a diff."""
    return yaml.dump(obj, Dumper=_Dumper, sort_keys=True, width=1000) if obj else ""


def _veil(value: Any) -> str:
    return "sha256:" + hashlib.sha256(str(value).encode()).hexdigest()[:12]


class _Dumper(yaml.SafeDumper):
    """Programs and files in objects as blocks, a line a line."""


def _block(dumper: _Dumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _block)
