"""docs/control-plane.md names no check and no finding that there is not."""

from __future__ import annotations

import re

from magflow import paths
from magflow.checks.preflight import PREFLIGHT


def test_the_page_names_what_there_is():
    text = (paths.root() / "docs" / "control-plane.md").read_text()
    source = "".join(file.read_text() for file in (paths.root() / "src" / "magflow").rglob("*.py"))
    source += (paths.root() / "src" / "magflow" / "data" / "compatibility.yml").read_text()
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", text))
    assert len(named) > 25
    assert {code for code in named if f'"{code}"' not in source and f"code: {code}" not in source} == set()
    ids = {check.id for check in PREFLIGHT}
    wanted = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", text)) - {"magnum-capi-helm", "magnum-cluster-api"}
    assert wanted and wanted <= ids
