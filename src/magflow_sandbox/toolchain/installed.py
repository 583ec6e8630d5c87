"""Programs in PATH: which one is there, and whether its version will do."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from magflow_sandbox.toolchain.table import Found


def find(program: str, version: str, rule: Found) -> Path | None:
    """The program in PATH (or one that serves as well) when its version fits ``rule``, else None."""
    for name in (*rule.also, program):
        path = shutil.which(name)
        if path and fits(_printed(path, rule.arguments), version, rule):
            return Path(path)
    return None


def fits(printed: str, version: str, rule: Found) -> bool:
    """Whether the first version number in what a program printed fits the rule."""
    found = re.search(r"\d+(?:\.\d+)+(?:-[a-z]+[.\d]*)?", printed)
    if not found:
        return False
    if rule.exact:
        return found.group() == version.removeprefix("v")
    return numbers(found.group()) >= numbers(rule.least or version)


def numbers(version: str) -> tuple[int, ...]:
    """``v1.10.4-rc1`` -> (1, 10, 4)."""
    return tuple(int(part) for part in re.findall(r"\d+", version.split("-")[0]))


@functools.cache
def _printed(path: str, arguments: tuple[str, ...]) -> str:
    env = {**os.environ, "CHECKPOINT_DISABLE": "1"}
    try:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=20, check=False, env=env)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
