"""Version constraints of Terraform: which releases one lets in. `~>` lets the last given part grow."""

from __future__ import annotations

import re
from dataclasses import dataclass

Release = tuple[int, int, int]

_TERM = re.compile(r"^\s*(=|!=|>=|<=|>|<|~>)?\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[0-9A-Za-z.-]+)?(?:\+\S+)?\s*$")
END: Release = (10**6, 0, 0)
"""Above every release."""


@dataclass(frozen=True)
class Range:
    """The releases from `low` up to but not including `high`.

    A patch number can grow for ever, so `> 1.2.3` is kept as `>= 1.2.4`. Exclusions (`!=`) are passed over: they take
    out single releases.
    """

    low: Release = (0, 0, 0)
    high: Release = END

    def meet(self, other: Range) -> Range:
        """What both let in."""
        return Range(max(self.low, other.low), min(self.high, other.high))

    def before(self, release: Release) -> bool:
        """Whether it lets in a release before this one."""
        return self.low < min(self.high, release)

    def reaches(self, release: Release) -> bool:
        """Whether it lets in this release or a later one."""
        return self.high > release


def parse(constraint: str) -> Range:
    """The range of a constraint such as `>= 1.50.0, < 4.0.0`.

    Raises:
        ValueError: it is no constraint.
    """
    result = Range()
    for term in constraint.split(","):
        result = result.meet(_term(term))
    return result


def release(version: str) -> Release:
    """A version as numbers; what comes behind a dash is left out.

    Raises:
        ValueError: it is no version.
    """
    found = _TERM.match(version)
    if not found or found[1]:
        raise ValueError(f"'{version}' is no version")
    return _numbers(found)


def shown(version: Release) -> str:
    """`1.50.0`."""
    return ".".join(str(part) for part in version)


def _term(term: str) -> Range:
    found = _TERM.match(term)
    if not found:
        raise ValueError(f"'{term.strip()}' is no version constraint")
    version = _numbers(found)
    major, minor, patch = version
    following = (major, minor, patch + 1)
    match found[1]:
        case None | "=":
            return Range(version, following)
        case ">=":
            return Range(low=version)
        case ">":
            return Range(low=following)
        case "<":
            return Range(high=version)
        case "<=":
            return Range(high=following)
        case "~>" if found[4] is not None:
            return Range(version, (major, minor + 1, 0))
        case "~>" if found[3] is not None:
            return Range(version, (major + 1, 0, 0))
        case "~>":
            return Range(low=version)
    return Range()


def _numbers(found: re.Match[str]) -> Release:
    return int(found[2]), int(found[3] or 0), int(found[4] or 0)
