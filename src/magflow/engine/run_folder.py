"""The folder of an environment's runs: everything generated lies here, readable by its owner alone."""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import json
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from magflow import paths
from magflow.errors import CannotTell, MagflowError
from magflow.facts import Facts
from magflow.private import private_folder, write_private


def who() -> str:
    """This process, for whoever finds its lock."""
    return f"{getpass.getuser()}@{socket.gethostname()} pid {os.getpid()}"


class RunFolder:
    """runs/<env>/ and the names of what lies in it."""

    def __init__(self, env: str, base: Path | None = None) -> None:
        self.env = env
        self.path = (base or paths.runs()) / env
        self.terraform = self.path / "terraform"
        self.logs = self.path / "logs"
        self.kubeconfig = self.path / "kubeconfig"
        self.kubeconfigs = self.path / "kubeconfigs"
        self.settings = self.path / "settings.json"
        self.facts_file = self.path / "facts.json"
        self.inventory = self.path / "inventory.json"
        self.ansible_vars = self.path / "ansible-vars.json"
        self.checks_json = self.path / "checks.json"
        self.checks_junit = self.path / "checks.xml"
        self.journal = self.path / "journal.jsonl"

    def create(self) -> RunFolder:
        """Makes the folder and those below it (mode 0700)."""
        for folder in (self.path, self.terraform, self.logs):
            private_folder(folder)
        return self

    def stack(self, name: str) -> Path:
        """The folder of a Terraform stack: its root module, state and plans."""
        return self.terraform if name == "cluster" else self.path / f"terraform-{name}"

    def write_json(self, file: Path, data: Any) -> None:
        """Writes JSON, mode 0600, whole or not at all."""
        write_private(file, json.dumps(data, indent=2, sort_keys=True) + "\n")

    def facts(self) -> Facts | None:
        """The facts of the last Terraform run, or None before the first."""
        try:
            data = json.loads(self.facts_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise MagflowError(
                f"cannot read the facts: {error}", where=str(self.facts_file), hint=f"magflow deploy {self.env}"
            ) from None
        return Facts.parse(data, where=str(self.facts_file))

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the environment for one operator; the kernel lets go of it when the process dies.

        Raises:
            CannotTell: somebody else holds it; names who and since when.
        """
        file = self.create().path / "lock"
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(handle, 4096, 0).decode(errors="replace").strip()
                raise CannotTell(
                    f"environment '{self.env}' is in use by {holder or 'somebody'}",
                    where=str(file),
                    hint="wait until it ends; the lock goes with that process",
                ) from None
            now = datetime.now(UTC).isoformat(timespec="seconds")
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{who()} since {now}\n".encode(), 0)
            yield
        finally:
            os.close(handle)
