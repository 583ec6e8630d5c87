"""Start of every supervised program: records who it is, then becomes it. Standard library only, run as a file.

The record is written by the process itself, before it turns into the program, and the record's lock is held until then:
so a supervisor that is killed at any moment leaves either nothing, or a process with its record. The process id and the
start time stay the same through exec (also through nsenter and unshare).

Arguments: lock descriptor, status descriptor, record file. The rest comes as JSON on standard input:
{"argv": [...], "env": {...}, "cwd": path or null, "log": path, "record": {...}}.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import time
from pathlib import Path


def start_ticks(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot (field 22 of proc(5) stat), or None when there is none."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()[19])
    except (OSError, IndexError):
        return None


def boot_id() -> str:
    """Names this boot of the machine; process ids of another boot mean nothing."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def close_on_exec(descriptor: int) -> None:
    """Close a descriptor when the program takes over."""
    fcntl.fcntl(descriptor, fcntl.F_SETFD, fcntl.FD_CLOEXEC)


def main() -> None:
    """Record, then exec."""
    lock, status, path = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    close_on_exec(lock)
    close_on_exec(status)
    try:
        job = json.loads(sys.stdin.buffer.read())
        os.umask(0o077)
        os.chdir(job["cwd"] or "/")
        log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        record = dict(job["record"], pid=os.getpid(), ticks=start_ticks(os.getpid()), boot=boot_id(), since=time.time())
        temporary = path.with_name(f"{path.name}.new")
        temporary.write_text(json.dumps(record, indent=1))
        temporary.replace(path)
        os.dup2(null, 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        for extra in (log, null):
            close_on_exec(extra)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and that would be inherited
        os.execvpe(job["argv"][0], job["argv"], job["env"])  # noqa: S606 - that is what this file is for
    except BaseException as error:
        os.write(status, f"{type(error).__name__}: {error}".encode()[:400])
        os._exit(127)


if __name__ == "__main__":
    main()
