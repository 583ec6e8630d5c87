"""Starts, finds again and stops the sandbox's processes. A library, no daemon; all state is in files.

Usage::

    supervisor = Supervisor(home)
    with supervisor.lock():                                    # one `up` at a time
        supervisor.start(Program("mariadb", ["mariadbd", ...], env={"PATH": "/usr/bin"}))
        supervisor.start(Program("keystone", [...], env, namespace="openstack", after=("mariadb",)))
        supervisor.wait("keystone", lambda: answers(url), within=30)
    supervisor.programs()                                      # what runs and what died
    supervisor.stop_all()                                      # the reverse of `after`

``start`` does nothing for a program that runs with the same definition, restarts one whose definition (argv, env, cwd,
namespace holder) changed, and replaces a dead one. Any number of processes and threads may use one home at once: each
program has its own lock. A caller may be killed at any moment: a process records itself before it becomes the program
(launch.py).

A process is identified by boot, process id and start time, never by the id alone. Programs carry two marks in their
environment (MAGFLOW_SANDBOX_HOME, MAGFLOW_PROGRAM), by which children that outlive their parent are found and stopped.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from magflow_sandbox import launching, namespaces, processes
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home
from magflow_sandbox.program import Program, Running, python

LOG_LIMIT = 16 * 1024 * 1024  # bytes; a longer log is put aside at the next start


class Supervisor:
    """The processes of one home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.records = home.run / "programs"

    # -- questions

    def record(self, name: str) -> dict[str, Any] | None:
        """The record of a program, or None when it was never started or was stopped."""
        try:
            loaded: dict[str, Any] = json.loads((self.records / f"{name}.json").read_text())
            return loaded
        except (FileNotFoundError, NotADirectoryError, json.JSONDecodeError):
            return None

    def pid(self, name: str) -> int | None:
        """Process id of a living program, else None."""
        record = self.record(name)
        return int(record["pid"]) if record and processes.alive(record) else None

    def alive(self, name: str) -> bool:
        """Whether the recorded process (not another one with its id, not a zombie) is there."""
        return self.pid(name) is not None

    def runs(self, program: Program) -> bool:
        """Whether the program runs with this very definition, so that :meth:`start` would do nothing."""
        record = self.record(program.name)
        return bool(record and processes.alive(record) and record["digest"] == self._digest(program))

    def names(self) -> list[str]:
        """Names of everything that was started and not stopped, in order; cheaper than :meth:`programs`."""
        if not self.records.exists():
            return []
        return sorted(str(path.relative_to(self.records))[: -len(".json")] for path in self.records.rglob("*.json"))

    def programs(self) -> list[Running]:
        """Everything that was started and not stopped, in order of name."""
        found = []
        for name in self.names():
            record = self.record(name)
            if record is None:
                continue
            alive = processes.alive(record)
            rss = processes.rss(record["pid"]) if alive else 0
            state: Literal["running", "dead"] = "running" if alive else "dead"
            after = tuple(record["after"])
            found.append(Running(name, state, record["pid"], record["since"], rss, after, self.log(name)))
        return found

    def log(self, name: str) -> Path:
        """The log file of a program."""
        return self.home.log / f"{name}.log"

    # -- changes

    @contextmanager
    def lock(self, name: str = "lock", *, wait: bool = True) -> Iterator[None]:
        """Hold a lock of the home; the second caller waits.

        Raises:
            SandboxError: ``wait`` is False and another process has it.
        """
        self.home.create()
        with (self.home.run / name).open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                raise SandboxError("another process is changing this sandbox", hint="wait until it is done") from None
            yield

    def start(self, program: Program) -> bool:
        """Make the program run. Returns whether a process was started.

        Raises:
            SandboxError: its namespace is not up, or the program cannot be executed.
        """
        argv, after = list(program.argv), program.after
        if program.namespace is not None:
            argv = namespaces.enter(self, program.namespace, argv)
            after = (*after, namespaces.holder_name(program.namespace))
        digest = self._digest(program)
        with self._locked(program.name) as lock:
            record = self.record(program.name)
            if record and processes.alive(record):
                if record["digest"] == digest:
                    return False
                self._end(program.name, record, timeout=10)
            else:
                self._sweep(program.name)
            env = {
                **program.env,
                "MAGFLOW_SANDBOX_HOME": str(self.home.path),
                "MAGFLOW_PROGRAM": program.name,
            }
            log = self.log(program.name)
            log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if log.exists() and log.stat().st_size > LOG_LIMIT:
                log.replace(log.with_suffix(".log.1"))
            job = {
                "argv": argv,
                "env": env,
                "cwd": str(program.cwd) if program.cwd else None,
                "log": str(log),
                "record": {"name": program.name, "digest": digest, "after": after},
            }
            failure = launching.launch(self.records / f"{program.name}.json", job, lock)
            if failure:
                raise SandboxError(f"cannot start {program.name}: {failure}", where=log, hint="is it installed?")
            return True

    def stop(self, name: str, timeout: float = 10) -> bool:
        """End a program and what it started: SIGTERM, after ``timeout`` seconds SIGKILL. Returns whether it ran."""
        with self._locked(name):
            record = self.record(name)
            alive = bool(record and processes.alive(record))
            if record and alive:
                self._end(name, record, timeout)
            else:
                self._sweep(name)
            (self.records / f"{name}.json").unlink(missing_ok=True)
            return alive

    def stop_all(self, names: Iterable[str] | None = None, timeout: float = 10) -> None:
        """End programs (all by default), each before those that it was started after; independent ones at once."""
        chosen = list(names) if names is not None else None
        for _ in range(3):  # a program that starts others may have done so until it was ended itself
            here = [name for name in self.names() if chosen is None or name in chosen]
            if not here:
                break
            self._stop_in_order({name: set(record["after"]) for name in here if (record := self.record(name))}, timeout)
        if chosen is None:
            self._sweep(None)

    def wait(self, name: str, answers: Callable[[], bool], within: float, every: float = 0.1) -> None:
        """Wait until a started program answers.

        Raises:
            SandboxError: it ended, or did not answer in time; with the end of its log.
        """
        deadline = time.monotonic() + within
        while not answers():
            if not self.alive(name):
                raise SandboxError(f"{name} ended: {self.tail(name)}", where=self.log(name), hint="read the log")
            if time.monotonic() > deadline:
                text = f"{name} does not answer after {within:.0f} s: {self.tail(name)}"
                raise SandboxError(text, where=self.log(name), hint="read the log; is the machine overloaded?")
            time.sleep(every)

    def tail(self, name: str, lines: int = 3) -> str:
        """The last lines of a program's log, in one line."""
        try:
            with self.log(name).open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
                text = file.read().decode(errors="replace")
        except OSError:
            return "no log"
        return " | ".join(line.strip() for line in text.splitlines()[-lines:])[:600] or "nothing in its log"

    # -- inside

    def _digest(self, program: Program) -> str:
        holder = self.record(namespaces.holder_name(program.namespace)) if program.namespace else None
        place = [holder["pid"], holder["ticks"], holder["boot"]] if holder else None
        parts = [list(program.argv), sorted(program.env.items()), str(program.cwd or ""), program.namespace, place]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    @contextmanager
    def _locked(self, name: str) -> Iterator[int]:
        path = self.records / f"{name}.lock"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file.fileno()

    def _stop_in_order(self, left: dict[str, set[str]], timeout: float) -> None:
        while left:
            needed = set().union(*left.values())
            free = [name for name in left if name not in needed] or list(left)  # a ring ends all at once
            with ThreadPoolExecutor(max_workers=16) as pool:
                list(pool.map(lambda name: self.stop(name, timeout), free))
            for name in free:
                del left[name]

    def _end(self, name: str, record: Mapping[str, Any], timeout: float) -> None:
        pid = int(record["pid"])
        processes.send_group(pid, signal.SIGTERM)
        if not processes.gone(record, timeout):
            processes.send_group(pid, signal.SIGKILL)
            processes.gone(record, 10)
        self._sweep(name)

    def _sweep(self, name: str | None) -> None:
        """End what a program left behind (of the whole home when no name is given)."""
        strays = processes.marked(self.home.path, name)
        for sent in (signal.SIGTERM, signal.SIGKILL):
            for pid in strays:
                processes.send(pid, sent)
            deadline = time.monotonic() + 2
            while strays and time.monotonic() < deadline:
                strays = [pid for pid in strays if processes.exists(pid)]
                time.sleep(0.02 if strays else 0)


__all__ = ["Program", "Running", "Supervisor", "python"]
