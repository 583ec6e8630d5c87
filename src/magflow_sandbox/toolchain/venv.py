"""Python environments of their own in the cache, one for each set of requirements."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.toolchain.table import Tool

PACKAGE = Path(__file__).resolve().parents[1]


def folder(tool: Tool, cache: Path) -> Path:
    """The environment's folder; its name holds a digest of the requirements and of this Python's version."""
    text = (PACKAGE / tool.requirements).read_bytes() + ".".join(map(str, sys.version_info[:2])).encode()
    return cache / "venvs" / f"{tool.name}-{hashlib.sha256(text).hexdigest()[:12]}"


def complete(environment: Path) -> bool:
    """Whether the installation into it was finished."""
    return (environment / ".complete").exists()


def build(tool: Tool, environment: Path, log: Path) -> None:
    """Install the requirements; what an interrupted run had installed is kept.

    Raises:
        SandboxError: pip failed.
    """
    environment.parent.mkdir(parents=True, exist_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    python = environment / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-q"]
    with log.open("w") as output:
        commands = [
            [sys.executable, "-m", "venv", str(environment)],
            [*pip, "-r", str(PACKAGE / tool.requirements)],
        ]
        env = {
            key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        }
        for command in commands:
            done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, env=env, check=False)
            if done.returncode:
                shown = " | ".join(log.read_text().strip().splitlines()[-3:])
                hint = "read the log; python3-venv must be installed and a package index reachable"
                raise SandboxError(
                    f"the {tool.name} environment cannot be installed: {shown[:400]}", where=log, hint=hint
                )
    (environment / ".complete").touch()
