"""What a machine must have before anything is built or started."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from magflow_sandbox import namespaces
from magflow_sandbox.toolchain import installed
from magflow_sandbox.toolchain.table import Tool

LEAST_GO = (1, 26)
SPACE = 8 * 1024**3  # bytes: the cache of the demo tier with Go's own build cache


def lacking(missing: list[Tool], cache: Path, *, run: bool) -> list[str]:
    """Sentences, each with its remedy.

    Args:
        missing: the tools that are still to be made.
        cache: where they will be.
        run: whether the sandbox is to be started as well, not only built.
    """
    found = []
    kinds = {tool.kind for tool in missing}
    if run and sys.platform != "linux":
        return ["Linux (the sandbox uses network namespaces)"]
    if kinds & {"go", "data"} and not _go_will_do():
        found.append("Go 1.26 or newer in PATH (go.dev/dl)")
    if "debian" in kinds and not (shutil.which("apt-get") and shutil.which("dpkg")):
        found.append("MariaDB 10.6 or newer (mariadbd in PATH; there is no apt here to fetch it)")
    if "venv" in kinds and not _has_venv():
        found.append("the Python module ensurepip (Debian package python3-venv)")
    if run and (reason := namespaces.missing()):
        found.append(reason)
    if missing and (free := _free(cache)) < SPACE:
        found.append(f"{SPACE >> 30} GiB free for {cache} ({free >> 30} GiB are)")
    return found


def _go_will_do() -> bool:
    """Whether Go is recent enough, or so recent (1.21) that it fetches the version that a module asks for."""
    if not shutil.which("go"):
        return False
    command = ["go", "env", "GOVERSION", "GOTOOLCHAIN"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.split()
    version = installed.numbers(printed[0].removeprefix("go")) if printed else ()
    fetches = len(printed) > 1 and printed[1] != "local"
    return version >= ((1, 21) if fetches else LEAST_GO)


def _has_venv() -> bool:
    try:
        import ensurepip  # noqa: F401 - only whether it is there
        import venv  # noqa: F401
    except ImportError:
        return False
    return True


def _free(folder: Path) -> int:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free
