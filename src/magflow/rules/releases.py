"""Releases of Magnum: names, versions, and their order.

The versions are those on PyPI; a series is named by OpenStack (https://releases.openstack.org). Magnum's API does not
tell its release, so it is a setting.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from functools import lru_cache

from magflow.errors import MagflowError

Version = tuple[int, int, int]

SERIES: dict[int, tuple[str, Version]] = {
    7: ("rocky", (7, 2, 0)),
    8: ("stein", (8, 2, 1)),
    9: ("train", (9, 4, 1)),
    10: ("ussuri", (10, 1, 0)),
    11: ("victoria", (11, 2, 1)),
    12: ("wallaby", (12, 1, 1)),
    13: ("xena", (13, 1, 1)),
    14: ("yoga", (14, 1, 2)),
    15: ("zed", (15, 0, 2)),
    16: ("2023.1", (16, 0, 3)),
    17: ("2023.2", (17, 0, 2)),
    18: ("2024.1", (18, 0, 1)),
    19: ("2024.2", (19, 0, 1)),
    20: ("2025.1", (20, 0, 2)),
    21: ("2025.2", (21, 0, 1)),
    22: ("2026.1", (22, 0, 0)),
    23: ("2026.2", (23, 0, 0)),
}
"""Each series by its major version: name and newest version."""

ALIASES = {
    "antelope": "2023.1",
    "bobcat": "2023.2",
    "caracal": "2024.1",
    "dalmatian": "2024.2",
    "epoxy": "2025.1",
    "flamingo": "2025.2",
}
"""Names that people use for series which OpenStack numbers."""

_VERSION = re.compile(r"^(\d{1,2})(?:\.(\d+))?(?:\.(\d+))?$")


class UnknownRelease(MagflowError):
    """The text names no release of Magnum that is known here."""


@dataclass(frozen=True, order=True)
class Release:
    """A release of Magnum; ordered by version.

    Attributes:
        version: major, minor and patch.
        series: OpenStack's name of the series, such as stein or 2026.1.
    """

    version: Version
    series: str = field(compare=False)

    @property
    def major(self) -> int:
        """The first number, which names the series."""
        return self.version[0]

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.version))} ({self.series.capitalize()})"


@lru_cache(maxsize=256)
def parse(text: str) -> Release:
    """The release that a user means.

    Args:
        text: a series (stein, 2026.1, caracal), a major version (22), or a version (8.1.0). A series or a major version
            stands for the newest version of it.

    Raises:
        UnknownRelease: with the nearest name that is known.
    """
    word = text.strip().lower()
    word = ALIASES.get(word, word)
    for series, newest in SERIES.values():
        if word == series:
            return Release(newest, series)
    found = _VERSION.match(word)
    if found and int(found[1]) in SERIES:
        series, newest = SERIES[int(found[1])]
        if found[2] is None:
            return Release(newest, series)
        return Release((int(found[1]), int(found[2]), int(found[3] or 0)), series)
    names = [series for series, _ in SERIES.values()]
    near = difflib.get_close_matches(word, [*names, *ALIASES], n=1)
    first, last = min(SERIES), max(SERIES)
    raise UnknownRelease(
        f"'{text}' is no release of Magnum that is known here" + (f"; did you mean '{near[0]}'?" if near else ""),
        hint=f"give a series ({SERIES[first][0]} .. {SERIES[last][0]}) or a version ({first} .. {last}, such as 8.1.0)",
    )
