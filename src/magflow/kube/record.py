"""What was applied, kept in the cluster: an object that stands as it was written last is not even sent.

It stands when our manifest has the digest of that write AND the fields that the API server says are ours have the
digest that its answer had. Others' changes of our fields change what is ours, so they are noticed; status updates,
heartbeats and injected CA bundles do not, so they are not. generation and resourceVersion would get both wrong.
"""

from __future__ import annotations

import hashlib
import json
import threading
from typing import Any

from magflow.kube.client import Kube
from magflow.kube.compare import entry
from magflow.kube.objects import Identity, Object
from magflow.kube.ssa import server_side_apply

NAMESPACE = "kube-system"
KEY = "record.json"


class Record:
    """The record of one list of objects, a ConfigMap named `magflow-applied-<name>`."""

    def __init__(self, kube: Kube, name: str, manager: str) -> None:
        self._kube, self._manager = kube, manager
        self._name = f"magflow-applied-{name}"
        self._lock = threading.Lock()
        self._new = False
        kept = kube.get("v1", "ConfigMap", self._name, NAMESPACE)
        try:
            known = json.loads(((kept or {}).get("data") or {}).get(KEY, "{}"))
        except ValueError:
            known = {}  # as if nothing had been written: everything is sent again
        self._known: dict[str, Any] = known if isinstance(known, dict) else {}

    def stands(self, obj: Object, live: Object) -> bool:
        """Whether the live object (its metadata is enough) is as our last write of this manifest left it."""
        return bool(self._known.get(_key(obj)) == self._mark(obj, live))

    def note(self, obj: Object, result: Object) -> None:
        """Keeps what the server answered to a write."""
        mark = self._mark(obj, result)
        with self._lock:
            if self._known.get(_key(obj)) != mark:
                self._known[_key(obj)] = mark
                self._new = True

    def save(self) -> None:
        """Writes the record when it has news."""
        if not self._new:
            return
        meta = {
            "name": self._name,
            "namespace": NAMESPACE,
            "labels": {"app.kubernetes.io/managed-by": "magflow"},
        }
        text = json.dumps(self._known, sort_keys=True, separators=(",", ":"))
        kept = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {KEY: text}}
        server_side_apply(self._kube, kept, self._manager, force=True)
        self._new = False

    def _mark(self, obj: Object, live: Object) -> list[str]:
        fields = entry(self._manager, live).get("fieldsV1")
        return [_digest(obj), _digest(fields), str(live["metadata"].get("uid"))]


def _key(obj: Object) -> str:
    return f"{obj['apiVersion']} {Identity.of(obj)}"


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]
