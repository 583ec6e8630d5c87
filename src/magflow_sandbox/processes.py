"""Processes: which one is it, does it run, end it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from magflow_sandbox import launch

_CHILDREN: dict[int, subprocess.Popen[bytes]] = {}  # ours to reap
_CHILDREN_LOCK = threading.Lock()


def adopt(child: subprocess.Popen[bytes]) -> None:
    """Remember a process that this one started, so that it does not stay a zombie when it ends."""
    with _CHILDREN_LOCK:
        _CHILDREN[child.pid] = child


def alive(record: Mapping[str, Any]) -> bool:
    """Whether the process of a record runs: the same boot, id and start time, and not a zombie."""
    pid = int(record["pid"])
    with _CHILDREN_LOCK:
        child = _CHILDREN.get(pid)
        if child is not None and child.poll() is not None:
            del _CHILDREN[pid]
    same = record["boot"] == launch.boot_id() and record["ticks"] == launch.start_ticks(pid)
    return same and exists(pid)


def gone(record: Mapping[str, Any], timeout: float) -> bool:
    """Wait until the process of a record has ended; whether it has."""
    deadline = time.monotonic() + timeout
    pause = 0.01
    while alive(record):
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(0.1, pause * 1.5)
    return True


def exists(pid: int) -> bool:
    """Whether a process with this id runs; a zombie does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return text.rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")


def rss(pid: int) -> int:
    """Resident memory of a process and of the children in its session, bytes; 0 when it is gone."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for member in family:
        with suppress(psutil.Error, OSError):
            if os.getsid(member.pid) == pid:  # a program that it started for the supervisor has a session of its own
                total += member.memory_info().rss
    return total


def marked(home: Path, name: str | None) -> list[int]:
    """Processes that carry the supervisor's marks of this home, and of one program when a name is given."""
    wanted = {f"MAGFLOW_SANDBOX_HOME={home}".encode()}
    if name is not None:
        wanted.add(f"MAGFLOW_PROGRAM={name}".encode())
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            marks = set(Path(entry.path, "environ").read_bytes().split(b"\0"))
        except OSError:
            continue
        if wanted <= marks and any(mark.startswith(b"MAGFLOW_PROGRAM=") for mark in marks):
            found.append(int(entry.name))
    return found


def send(pid: int, sent: signal.Signals) -> None:
    """Send a signal to a process that may be gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, sent)


def send_group(pid: int, sent: signal.Signals) -> None:
    """Signal the whole group of a process that leads one."""
    with suppress(ProcessLookupError):
        os.killpg(pid, sent)
