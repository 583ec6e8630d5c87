"""Debian packages, downloaded by apt and unpacked into the cache: no root, nothing installed on the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.toolchain.table import Tool


def build(tool: Tool, folder: Path, log: Path) -> None:
    """Download and unpack a tool's packages into ``folder``, which appears complete or not at all.

    Raises:
        SandboxError: a package cannot be had.
    """
    temporary = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(temporary, ignore_errors=True)
    downloads = temporary / "_packages"
    downloads.mkdir(parents=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    # as root, apt would download as the user _apt, who cannot write here
    download = ["apt-get", "-o", "APT::Sandbox::User=root", "download", *tool.packages]
    try:
        _run(tool, download, downloads, log)
    except SandboxError:
        # a new machine has no package lists, an old one has lists of packages that are gone; only root may renew them
        if os.geteuid() != 0:
            raise
        _run(tool, ["apt-get", "update"], downloads, log)
        _run(tool, download, downloads, log)
    for package in sorted(downloads.glob("*.deb")):
        _run(tool, ["dpkg", "-x", str(package), str(temporary)], downloads, log)
    shutil.rmtree(downloads)
    temporary.replace(folder)


def _run(tool: Tool, command: list[str], folder: Path, log: Path) -> None:
    with log.open("w") as output:
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        shown = " | ".join(log.read_text().strip().splitlines()[-2:])
        hint = f"run `apt-get update` as root, or install {tool.name} so that it is in PATH"
        raise SandboxError(f"{command[0]} failed: {shown[:300]}", where=log, hint=hint)
