"""Questions about processes that /proc answers."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import psutil


def exists(pid: int) -> bool:
    """Whether a process with this id runs; a zombie does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return text.rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")


def rss(pid: int) -> int:
    """Resident memory of a process and its children, bytes; 0 when it is gone."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for member in family:
        try:
            total += member.memory_info().rss
        except psutil.Error:
            continue
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
