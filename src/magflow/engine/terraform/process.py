"""A Terraform process that outlives us: killed half-way, it would forget a cluster that Magnum goes on to build.

Its output goes to a file, which we follow. It is in a session of its own, so that Ctrl-C reaches it once and through
us. While it lives it holds a lock on a record in its folder. Whoever comes next follows it to its end first.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from magflow.engine.terraform.events import Event, parse

OnEvent = Callable[[Event], None]
_RECORD = "running.json"
_PAUSE = 0.1  # seconds between two looks at the log


def run(argv: Sequence[str], folder: Path, env: Mapping[str, str], log: Path, on_event: OnEvent) -> int:
    """Runs a command in `folder` and follows its output.

    Args:
        argv: program and arguments; they are written to the log, so they hold no secret.
        folder: where it runs, mode 0700.
        env: its whole environment.
        log: the file that its output is appended to, mode 0600.
        on_event: called for each line as it arrives.

    Returns: the exit status.
    """
    with _open_log(log) as output:
        output.write(f"$ {' '.join(argv)}\n".encode())
        output.flush()
        offset = output.tell()
        record = os.open(_fresh(folder / _RECORD), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(record, fcntl.LOCK_EX)
            os.write(record, json.dumps({"log": str(log), "offset": offset}).encode())
            process = subprocess.Popen(
                list(argv),
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(record,),
                umask=0o077,
            )
            os.write(record, f"\n{process.pid}\n".encode())
        finally:
            os.close(record)  # the process keeps the lock
    try:
        for event in _follow(log, offset, lambda: process.poll() is not None):
            on_event(event)
    except BaseException:
        # Once: at a second interrupt Terraform drops everything. It ends what it has begun and writes its state.
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
    return process.wait()


def wait_for_other(folder: Path, on_event: OnEvent) -> bool:
    """Follows a process that an earlier, killed run left in `folder`, until it ends. Whether there was one."""
    file = folder / _RECORD
    try:
        record = file.open()
    except FileNotFoundError:
        return False
    with record:
        first, _, second = record.read().partition("\n")
        pid = int(second) if second.strip() else None
        if _ended(record.fileno(), pid):
            return False
        data = json.loads(first)
        on_event(Event("text", f"terraform of an earlier run is still at work (process {pid}); waiting for it"))
        for event in _follow(Path(data["log"]), data["offset"], lambda: _ended(record.fileno(), pid)):
            on_event(event)
    return True


def _ended(record: int, pid: int | None) -> bool:
    """The lock alone is not enough: a plugin that lost its Terraform still holds it."""
    try:
        fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return pid is not None and not _alive(pid)
    fcntl.flock(record, fcntl.LOCK_UN)
    return True


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with suppress(OSError):  # no /proc outside Linux
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True


def _fresh(record: Path) -> Path:
    record.unlink(missing_ok=True)
    return record


def _open_log(log: Path) -> IO[bytes]:
    log.parent.mkdir(parents=True, exist_ok=True)
    return os.fdopen(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")


def _follow(log: Path, offset: int, ended: Callable[[], bool]) -> Iterator[Event]:
    """The events in the log from `offset` on, until `ended` says that no more will come."""
    with log.open(encoding="utf-8", errors="replace") as stream:
        stream.seek(offset)
        rest = ""
        while True:
            last = ended()  # asked first: what was written before the end is then still read
            while part := stream.readline():
                rest += part
                if rest.endswith("\n"):
                    if event := parse(rest):
                        yield event
                    rest = ""
            if last:
                if event := parse(rest):
                    yield event
                return
            time.sleep(_PAUSE)
