"""Every test belongs to the tier of its folder; each tier's cost is printed at the end."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MARKED = {"contracts", "roles", "sandbox"}
_seconds: dict[str, float] = defaultdict(float)
_counts: dict[str, int] = defaultdict(int)


def _tier(path: Path) -> str:
    return path.relative_to(HERE).parts[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {"unit": 0, "contracts": 1, "roles": 2, "sandbox": 3}
    items.sort(key=lambda item: order.get(_tier(item.path), 9))
    for item in items:
        tier = _tier(item.path)
        if tier in MARKED:
            item.add_marker(tier)
        if tier in {"roles", "sandbox", "full"} and os.geteuid() != 0:
            item.add_marker(pytest.mark.skip(reason="the sandbox's network namespaces are tested as root"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    tier = Path(report.nodeid).parts[1] if report.nodeid.startswith("tests/") else "other"
    _seconds[tier] += report.duration
    _counts[tier] += report.when == "call"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("cost of each tier")
    for tier, seconds in _seconds.items():
        terminalreporter.write_line(f"{tier}: {_counts[tier]} tests in {seconds:.0f} s")
