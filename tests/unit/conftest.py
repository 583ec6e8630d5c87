"""What unit tests share: settings to change, and a world with fakes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from magflow import paths, settings_file
from magflow.settings_file import Environment


@pytest.fixture
def sandbox() -> Environment:
    """The shipped settings of the sandbox."""
    return settings_file.load("sandbox")


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], Any]], str]:
    """Writes variables/sandbox.yml with one change made to it; returns the file's path."""
    data = yaml.safe_load((paths.root() / "variables" / "sandbox.yml").read_text())

    def write(change: Callable[[dict[str, Any]], Any]) -> str:
        mine = copy.deepcopy(data)
        change(mine)
        file = tmp_path / "mine.yml"
        file.write_text(yaml.safe_dump(mine, sort_keys=False))
        return str(file)

    return write
