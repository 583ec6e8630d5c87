"""The drivers' own code: wheels of PyPI, downloaded once and opened, never installed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from functools import cache
from pathlib import Path

CACHE = Path(os.environ.get("MAGFLOW_CACHE", Path.home() / ".cache" / "magflow")) / "wheels"
TRIES = 4


@cache
def wheel(project: str, version: str) -> zipfile.ZipFile:
    """The wheel of one release. That it cannot be had fails the test: a comparison with nothing says nothing."""
    pattern = f"{project.replace('-', '_')}-{version}-*.whl"
    found = sorted(CACHE.glob(pattern))
    return zipfile.ZipFile(found[0] if found else _download(project, version, pattern))


def _download(project: str, version: str, pattern: str) -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    words = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
    said = ""
    for attempt in range(TRIES):
        # beside its last place, so that what another test run sees there is whole
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            done = subprocess.run(
                [sys.executable, "-m", "pip", *words, "--dest", folder, f"{project}=={version}"],
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            for file in Path(folder).glob(pattern):
                return file.replace(CACHE / file.name)
        said = done.stderr.strip()
        time.sleep(2**attempt)
    raise AssertionError(f"{project} {version} could not be downloaded ({TRIES} tries): {said}")


def texts(archive: zipfile.ZipFile, *beginnings: str, end: str = ".py") -> dict[str, str]:
    """Files by name whose path begins so; tests of the project itself are left out."""
    return {
        name: archive.read(name).decode()
        for name in archive.namelist()
        if name.startswith(beginnings) and name.endswith(end) and "/tests/" not in name
    }


def trees(archive: zipfile.ZipFile, *beginnings: str) -> dict[str, ast.Module]:
    """The same, parsed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old code has escapes that Python now warns of
        return {name: ast.parse(text) for name, text in texts(archive, *beginnings).items()}
