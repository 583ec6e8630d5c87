"""Short commands of the set-up (migrations, bootstrap), findable by the supervisor when their caller was killed."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.supervisor import Supervisor


def run(
    supervisor: Supervisor,
    name: str,
    argv: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    what: str,
    given: str | None = None,
) -> None:
    """Run a command to its end; first end the one of this name that a killed caller may have left behind.

    Args:
        environment: the whole environment; the supervisor's marks are added, by which `down` finds it, too.
        log: takes its output.
        what: says what failed, for people.
        given: standard input.

    Raises:
        SandboxError: it fails; its output is in `log`.
    """
    supervisor.stop(name)
    marks = {"MAGFLOW_SANDBOX_HOME": str(supervisor.home.path), "MAGFLOW_PROGRAM": name}
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("a") as out:
        done = subprocess.run(
            argv,
            env={**environment, **marks},
            input=given or "",
            text=True,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        raise SandboxError(what, where=log, hint="read the log")
