"""Starts the launcher (launch.py), which records itself and becomes the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from magflow_sandbox import launch as launcher
from magflow_sandbox import processes


def launch(record: Path, job: dict[str, Any], lock: int) -> str | None:
    """Start a program; returns when it has taken over.

    Args:
        record: file for the program's record; it is written by the new process.
        job: argv, env, cwd, log and the record's first fields, as launch.py wants them.
        lock: descriptor of the held lock of this record; the new process holds it too until it has become the program.

    Returns:
        Why it could not be started, None when it runs.
    """
    reader, writer = os.pipe()
    command = [sys.executable, "-I", "-S", str(Path(launcher.__file__).resolve()), str(lock), str(writer), str(record)]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(lock, writer),
            start_new_session=True,
            env={},
            cwd="/",
        )
    finally:
        os.close(writer)
    processes.adopt(process)
    with suppress(BrokenPipeError), cast(IO[bytes], process.stdin) as stdin:
        stdin.write(json.dumps(job).encode())  # when it broke, the status says why
    with os.fdopen(reader, "rb") as status:
        failure = status.read().decode(errors="replace")  # ends when the program has taken over
    if failure:
        process.wait()
        record.unlink(missing_ok=True)
    return failure or None
