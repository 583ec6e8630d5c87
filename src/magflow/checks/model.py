"""What a check is: a title that is true when all is well, a probe that looks once, and a patience.

The probe looks and raises; loops, sleeps, printing and exit codes belong to the engine (after linkerd2's healthcheck).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from magflow.checks.world import World

Probe = Callable[["World"], str | None]
"""Looks once. Returns a sentence of evidence (or None) when the title is true; raises one of the outcomes below."""


class Problem(Exception):
    """The title is not true now; asking again may help, until the check's patience ends.

    Args:
        what: what was found.
        hint: the next step for the user.
        final: the thing is in a failed state; waiting cannot help.
    """

    def __init__(self, what: str, hint: str | None = None, *, final: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.final = final


class Warned(Problem):
    """The title is true, but something about it should be known."""


class NotApplicable(Exception):
    """There is nothing to look at, and that is right; the reason is the message."""


@dataclass(frozen=True)
class Check:
    """One fact about the platform that can be looked at now.

    Attributes:
        id: kebab-case name, the same in reports, JUnit and documents.
        title: a sentence that is true when all is well.
        probe: looks once.
        within: seconds that a deploy waits for the title to become true (times `cloud.time_scale`).
        fatal: the later checks of the same list make no sense when this one fails.
    """

    id: str
    title: str
    probe: Probe
    within: float = 0.0
    fatal: bool = False


def check(id: str, title: str, *, within: float = 0.0, fatal: bool = False) -> Callable[[Probe], Check]:
    """Turns a probe into a Check."""
    return lambda probe: Check(id=id, title=title, probe=probe, within=within, fatal=fatal)
