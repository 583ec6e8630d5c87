"""A supervisor with a folder of its own; whatever a test starts is ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from magflow_sandbox.home import Home
from magflow_sandbox.supervisor import Supervisor


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    made = Supervisor(Home(tmp_path / "home").create())
    yield made
    made.stop_all(timeout=2)
