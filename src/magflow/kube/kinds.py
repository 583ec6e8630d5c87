"""The kinds that a list of objects brings itself, and when they can be used."""

from __future__ import annotations

from collections.abc import Iterable

from magflow.errors import MagflowError
from magflow.kube.client import Kube
from magflow.kube.errors import UnknownKind
from magflow.kube.objects import Object
from magflow.kube.retry import Patience, passes

FOREIGN_KIND_PATIENCE = 10.0
"""Seconds to wait for a kind that none of our own definitions brings."""


class Kinds:
    """Kinds by the CustomResourceDefinition that is among the objects."""

    def __init__(self, kube: Kube, objects: Iterable[Object]) -> None:
        self._kube = kube
        self._definitions = {
            (f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]): crd["metadata"]["name"]
            for crd in objects
            if crd["kind"] == "CustomResourceDefinition"
            for version in crd["spec"]["versions"]
            if version.get("served", True)
        }

    def ours(self, obj: Object) -> bool:
        """Whether the object's definition is in the list."""
        return (obj["apiVersion"], obj["kind"]) in self._definitions

    def served(self, obj: Object) -> bool:
        """Whether the server serves the object's kind now."""
        try:
            self._kube.resource(obj["apiVersion"], obj["kind"])
        except UnknownKind:
            return False
        return True

    def place(self, obj: Object, patience: Patience, dry_run: bool) -> None:
        """Fills in the namespace `default`, as kubectl does, and drops one from an object whose kind has none.

        Raises:
            UnknownKind: when the kind is not served. One that is not ours is waited for but shortly.
        """
        if dry_run and not self.served(obj):
            return  # its definition is only about to be made, here or by what runs before
        waiting = patience if self.ours(obj) else Patience(min(FOREIGN_KIND_PATIENCE, patience.left))
        resource = waiting.call(
            lambda: self._kube.resource(obj["apiVersion"], obj["kind"]),
            passing=lambda error: passes(error) or isinstance(error, UnknownKind),
        )
        if resource.namespaced:
            obj["metadata"].setdefault("namespace", "default")
        else:
            obj["metadata"].pop("namespace", None)

    def await_served(self, patience: Patience) -> None:
        """Waits until every kind of ours is served.

        Raises:
            MagflowError: when one is not, with what its conditions say.
        """
        for (api_version, kind), name in self._definitions.items():
            try:
                patience.call(
                    lambda v=api_version, k=kind: self._kube.resource(v, k),  # type: ignore[misc]
                    passing=lambda error: passes(error) or isinstance(error, UnknownKind),
                )
            except UnknownKind:
                live = self._kube.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", name)
                said = [
                    f"{item['type']}={item['status']}: {item.get('message', '')}"
                    for item in ((live or {}).get("status") or {}).get("conditions") or []
                ]
                raise MagflowError(
                    f"CustomResourceDefinition {name} is not served: {'; '.join(said) or 'it has no conditions'}",
                    where=self._kube.host,
                ) from None
