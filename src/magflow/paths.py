"""Where the suite's own folders lie."""

from __future__ import annotations

import os
from pathlib import Path


def root() -> Path:
    """The folder that holds terraform/, playbooks/, roles/ and variables/.

    `$MAGFLOW_ROOT` when it is set (a package installed away from its checkout), else the checkout that this file is in.
    """
    given = os.environ.get("MAGFLOW_ROOT")
    return Path(given).resolve() if given else Path(__file__).resolve().parents[2]


STACKS = Path("terraform/stacks")
PLAYBOOKS = Path("playbooks")
VARIABLES = Path("variables")


def shown(path: Path) -> str:
    """A path as people read it: from the working folder when it lies below it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def runs() -> Path:
    """The folder that holds one folder a run environment (`$MAGFLOW_RUNS`, else `runs/` of the checkout)."""
    given = os.environ.get("MAGFLOW_RUNS")
    return Path(given).resolve() if given else root() / "runs"
