"""The faults of one sandbox: a file in its home that who plays them reads.

Usage::

    store = Store(home)
    store.set(Stuck(cluster="train", at="nodes"))     # -> its id, "stuck-1"
    store.active()                                     # in the order in which they were asked for
    store.clear("stuck-1"); store.clear("stuck"); store.clear()
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.model import Fault, make
from magflow_sandbox.home import Home, write_private

Kind = TypeVar("Kind", bound=Fault)


@dataclass(frozen=True)
class Active:
    """A fault that was asked for.

    Attributes:
        id: kind and number, by which it is cleared.
        used: how often it was played, of those kinds that count.
    """

    id: str
    fault: Fault
    used: int = 0

    @property
    def spent(self) -> bool:
        """Whether it has been played as often as was asked."""
        bound = getattr(self.fault, "count", 0) if self.fault.kind == "api" else 0
        return 0 < bound <= self.used


class Store:
    """Faults of a home. Any number of processes may use it at once."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.path = home.path / "faults.json"
        self.marks = home.run / "faults"
        """What was played, a folder a fault: `used` grows by a byte each time; other files are notes of the players."""

    def active(self) -> list[Active]:
        """All of them.

        Raises:
            SandboxError: the file does not read.
        """
        try:
            listed = json.loads(self.path.read_text())["faults"]
            return [Active(item["id"], make(item["kind"], item["options"]), self._used(item["id"])) for item in listed]
        except FileNotFoundError:
            return []
        except (ValueError, KeyError, TypeError) as error:
            hint = "magflow sandbox fault clear"
            raise SandboxError(f"the faults do not read: {error}", where=self.path, hint=hint) from error

    def of(self, kind: type[Kind]) -> list[tuple[str, Kind]]:
        """Id and fault of one kind."""
        return [(item.id, item.fault) for item in self.active() if isinstance(item.fault, kind)]

    def set(self, fault: Fault) -> str:
        """Ask for a fault. Returns its id; the one that is there already when it is the very same.

        Raises:
            SandboxError: there is no sandbox.
        """
        if not self.home.path.exists():
            raise SandboxError("there is no sandbox", hint="magflow sandbox up")
        with self._locked():
            present = self.active()
            for item in present:
                if item.fault == fault and not item.spent:
                    return item.id
            taken = {item.id for item in present}
            number = next(number for number in range(1, 10_000) if f"{fault.kind}-{number}" not in taken)
            made = Active(f"{fault.kind}-{number}", fault)
            shutil.rmtree(self.marks / made.id, ignore_errors=True)
            self._write([*present, made])
            return made.id

    def clear(self, name: str | None = None) -> list[str]:
        """Take back one fault (by id), all of a kind, or all. Returns the ids.

        Raises:
            SandboxError: there is none of this name.
        """
        if not self.home.path.exists() and name is None:
            return []
        with self._locked():
            try:
                present = self.active()
            except SandboxError:
                present = []  # one that does not read can only be removed as a whole
            if name is None:
                self.path.unlink(missing_ok=True)
                shutil.rmtree(self.marks, ignore_errors=True)
                return [item.id for item in present]
            chosen = [item.id for item in present if name in (item.id, item.fault.kind)]
            if not chosen:
                known = ", ".join(item.id for item in present) or "none is set"
                raise SandboxError(f"fault {name} is not set", hint=f"set are: {known}")
            self._write([item for item in present if item.id not in chosen])
            for each in chosen:
                shutil.rmtree(self.marks / each, ignore_errors=True)
            return chosen

    # -- what was done

    def note(self, fault: str, mark: str) -> None:
        """Note that something was done for a fault; :meth:`clear` forgets it."""
        folder = self.marks / fault
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / mark).touch(mode=0o600)

    def noted(self, fault: str, mark: str) -> bool:
        """Whether it was."""
        return (self.marks / fault / mark).exists()

    # -- inside

    def _used(self, fault: str) -> int:
        try:
            return (self.marks / fault / "used").stat().st_size
        except OSError:
            return 0

    def _write(self, present: list[Active]) -> None:
        listed = [{"id": item.id, "kind": item.fault.kind, "options": item.fault.options()} for item in present]
        write_private(self.path, json.dumps({"faults": listed, "marks": str(self.marks)}, indent=2))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.home.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        with Path(self.home.run / "faults.lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
