"""One sandbox cloud for the whole tier, in a home of its own: up before the first test, gone after the last."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

MAGFLOW = Path(sys.executable).with_name("magflow")


def sandbox(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`magflow sandbox ...` for a home."""
    env = os.environ | {"MAGFLOW_SANDBOX_HOME": str(home)}
    return subprocess.run(
        [MAGFLOW, "sandbox", *words], env=env, capture_output=True, text=True, timeout=900, check=False
    )


@pytest.fixture(scope="session")
def cloud_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a sandbox that is up."""
    home = tmp_path_factory.mktemp("sandbox") / "home"
    try:
        done = sandbox(home, "up")
        assert done.returncode == 0, done.stdout + done.stderr
        yield home
    finally:
        sandbox(home, "reset")
