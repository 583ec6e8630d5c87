"""Where the programs are that the suite runs for their effect."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from magflow.errors import CannotTell

EITHER = {"terraform": ("terraform", "tofu")}
"""Programs that do the same work; the first one found is used."""


def find(name: str) -> Path | None:
    """A program of this installation's own Python environment, else of PATH; None when there is neither."""
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    for candidate in EITHER.get(name, (name,)):
        if found := shutil.which(candidate, path=places):
            return Path(found)
    return None


def need(name: str) -> Path:
    """The same, where the program must be there.

    Raises:
        CannotTell: it is not.
    """
    found = find(name)
    if found is None:
        raise CannotTell(f"the program '{name}' is not in PATH", hint="scripts/setup brings it; see README")
    return found
