"""Terraform and OpenTofu, whichever are there: set-up for the tests brings OpenTofu, the machine may have Terraform."""

from __future__ import annotations

import shutil
from pathlib import Path

from magflow_sandbox.home import cache_root
from magflow_sandbox.toolchain import Toolchain


def find(name: str) -> Path | None:
    """A program of PATH, else the one that the toolchain built for these tests."""
    if found := shutil.which(name):
        return Path(found)
    built = [tool for tool in Toolchain().tools.values() if name in tool.programs]
    folders = [cache_root() / "bin" / tool.label for tool in built]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


PROGRAMS = {name: found for name in ("terraform", "tofu") if (found := find(name))}
"""Their paths by name."""
