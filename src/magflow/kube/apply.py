"""Server-side apply of many objects: in waves by dependency, parallel within a wave, no rejection repeated."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from magflow.errors import MagflowError
from magflow.kube.client import Kube
from magflow.kube.compare import Diff, essence, text, written_by
from magflow.kube.errors import ApiError
from magflow.kube.kinds import Kinds
from magflow.kube.objects import Identity, Object, Wave, condition, flatten, wave
from magflow.kube.record import Record
from magflow.kube.retry import NotYet, Patience
from magflow.kube.ssa import server_side_apply

Action = Literal["created", "changed", "unchanged", "replaced"]

FIELD_MANAGER = "magflow"
WRITERS = 4
"""Parallel writes; more were no faster against a control plane on two cores."""


@dataclass(frozen=True)
class Applied:
    """What became of one object, or would become of it in a dry run."""

    kind: str
    namespace: str | None
    name: str
    action: Action
    diff: Diff | None = None

    @property
    def changed(self) -> bool:
        """Whether something was written."""
        return self.action != "unchanged"

    def __str__(self) -> str:
        return f"{Identity('', self.kind, self.namespace, self.name)} {self.action}"


class ApplyError(MagflowError):
    """Some objects could not be applied; later waves were not begun.

    Attributes:
        done: what was applied before.
        failures: the error of each object that was not.
    """

    def __init__(self, failures: list[tuple[Identity, MagflowError]], done: list[Applied]) -> None:
        self.failures = failures
        self.done = done
        identity, first = failures[0]
        more = f" (and {len(failures) - 1} more objects failed)" if len(failures) > 1 else ""
        what = first.what if str(identity) in first.what else f"{identity}: {first.what}"
        super().__init__(what + more, where=first.where, hint=first.hint)


def apply(
    kube: Kube,
    objects: Iterable[Object],
    *,
    field_manager: str = FIELD_MANAGER,
    dry_run: bool = False,
    replace: bool = False,
    force: bool = False,
    diff: bool = False,
    record: str | None = None,
    deadline: float | Patience = 120.0,
) -> list[Applied]:
    """Makes the cluster hold the objects.

    Args:
        kube: the cluster.
        objects: in any order.
        field_manager: name under which the API server keeps what is ours.
        dry_run: ask the server what would change and write nothing.
        replace: delete and create again what differs and cannot be changed, or what ended as failed (jobs).
        force: take fields over from other managers.
        diff: keep before and after of what changes (always so in a dry run).
        record: name of a record kept in the cluster, by which objects that stand as written last are not sent again.
        deadline: seconds that passing errors may be waited for, in all.

    Returns:
        one entry an object, in the order of the writes.

    Raises:
        ApplyError: when objects failed; CannotTell when the server cannot be asked at all.
    """
    patience = deadline if isinstance(deadline, Patience) else Patience(deadline)
    todo = sorted(flatten(objects), key=wave)
    kube.version()  # an unreachable server is told at once, not waited for
    kept = Record(kube, record, field_manager) if record else None
    task = _Task(kube, todo, field_manager, dry_run, replace, force, diff or dry_run, kept, patience)
    try:
        return _waves(task, todo)
    finally:
        if kept and not dry_run:
            kept.save()


def _waves(task: _Task, todo: list[Object]) -> list[Applied]:
    done: list[Applied] = []
    with ThreadPoolExecutor(WRITERS, thread_name_prefix="apply") as pool:
        for number, group in groupby(todo, key=wave):
            failures: list[tuple[Identity, MagflowError]] = []
            for identity, result in pool.map(task.one, group):
                if isinstance(result, MagflowError):
                    failures.append((identity, result))
                else:
                    done.append(result)
            if failures:
                raise ApplyError(failures, done)
            if number == Wave.DEFINITIONS and not task.dry_run:
                task.kinds.await_served(task.patience)
    return done


class _Task:
    """One call of `apply`."""

    def __init__(
        self,
        kube: Kube,
        objects: list[Object],
        manager: str,
        dry_run: bool,
        replace: bool,
        force: bool,
        diff: bool,
        record: Record | None,
        patience: Patience,
    ) -> None:
        self.kube, self.manager, self.record, self.patience = kube, manager, record, patience
        self.dry_run, self.replace, self.force, self.diff = dry_run, replace, force, diff
        self.kinds = Kinds(kube, objects)
        self._missing: set[str] = set()
        self._lock = threading.Lock()

    def one(self, obj: Object) -> tuple[Identity, Applied | MagflowError]:
        """Applies one object; its error is returned, so that the rest of the wave is not lost."""
        try:
            self.kinds.place(obj, self.patience, self.dry_run)
            identity = Identity.of(obj)
            return identity, self.patience.call(lambda: self._attempt(obj, identity))
        except MagflowError as error:
            return Identity.of(obj), error

    def _attempt(self, obj: Object, identity: Identity) -> Applied:
        if self.dry_run and self._cannot_exist(obj, identity):
            return self._applied(identity, "created", None, obj)
        live = self.kube.get(*_key(identity), metadata_only=bool(self.record) or self._light(identity))
        if live and live["metadata"].get("deletionTimestamp"):
            if self.dry_run:
                return self._applied(identity, "created", None, obj)
            raise NotYet(f"{identity} is still being deleted", where=self.kube.host)
        if live is None and self.dry_run and identity.kind == "Namespace":
            with self._lock:
                self._missing.add(identity.name)
        if live and _bare(obj):
            return self._applied(identity, "unchanged", live, live)
        if self.record and live:
            if self.record.stands(obj, live):
                return self._applied(identity, "unchanged", live, live)
            if not self._light(identity):
                live = self.kube.get(*_key(identity))
        if live and self.replace:
            return self._replaced(obj, identity, live)
        result = self._send(obj, dry_run=self.dry_run)
        if self.record:
            self.record.note(obj, result)
        if live is None:
            return self._applied(identity, "created", None, result)
        same = essence(live) == essence(result) if self.dry_run else not written_by(self.manager, live, result)
        return self._applied(identity, "unchanged" if same else "changed", live, result)

    def _light(self, identity: Identity) -> bool:
        """Whether the object's metadata is enough to tell what a write did; a CRD has half a megabyte beside it."""
        return identity.kind == "CustomResourceDefinition" and not (self.diff or self.replace)

    def _replaced(self, obj: Object, identity: Identity, live: Object) -> Applied:
        try:
            wanted = self._send(obj, dry_run=True)
        except ApiError as error:
            if error.status != 422:
                raise
            wanted = obj  # the server refuses the change of what cannot be changed
        if essence(live) == essence(wanted) and condition(live, "Failed") != "True":
            return self._applied(identity, "unchanged", live, live)
        if not self.dry_run:
            self.kube.delete(*_key(identity))
            self.patience.call(lambda: self._gone(identity))
            wanted = self._send(obj, dry_run=False)
        return self._applied(identity, "replaced", live, wanted)

    def _gone(self, identity: Identity) -> None:
        if self.kube.get(*_key(identity), metadata_only=True):
            raise NotYet(f"{identity} is still being deleted", where=self.kube.host)

    def _cannot_exist(self, obj: Object, identity: Identity) -> bool:
        """In a dry run: what would hold the object is itself only about to be made."""
        if identity.namespace in self._missing:
            return True
        return not self.kinds.served(obj)

    def _send(self, obj: Object, *, dry_run: bool) -> Object:
        return server_side_apply(self.kube, obj, self.manager, force=self.force, dry_run=dry_run)

    def _applied(self, identity: Identity, action: Action, before: Object | None, after: Object) -> Applied:
        diff = None
        if self.diff and action != "unchanged":
            diff = Diff(text(essence(before)), text(essence(after)))
        return Applied(identity.kind, identity.namespace, identity.name, action, diff)


def _bare(obj: Object) -> bool:
    """A mere name (a Namespace), of which nothing can differ.

    Sent again, it would take away what another list of objects gave the same thing under our name; and the server would
    write bookkeeping on the second apply.
    """
    return {"apiVersion", "kind", "metadata"} >= set(obj) and {"name", "namespace"} >= set(obj["metadata"])


def _key(identity: Identity) -> tuple[str, str, str, str | None]:
    return identity.api_version, identity.kind, identity.name, identity.namespace
