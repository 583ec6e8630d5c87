"""What a check is: a title that is true when all is well, a probe that looks once, and a patience.

The probe looks and raises; loops, sleeps, printing and exit codes belong to the engine (after linkerd2's healthcheck).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from magflow import findings as found_things
from magflow.findings import Finding

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
        findings: what was found one by one, when the look finds more than one thing.
    """

    def __init__(
        self, what: str, hint: str | None = None, *, final: bool = False, findings: Iterable[Finding] = ()
    ) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.final = final
        self.findings = tuple(findings)


class Warned(Problem):
    """The title is true, but something about it should be known."""


def raise_for(findings: Iterable[Finding]) -> None:
    """Ends a probe with what it found, one by one; does nothing when that is nothing.

    Raises:
        Problem: one of them is an error.
        Warned: all are warnings.
    """
    found = list(findings)
    wrong = found_things.errors(found)
    if wrong:
        raise Problem(_counted(len(wrong), "error"), final=True, findings=found)
    if found:
        raise Warned(_counted(len(found), "warning"), findings=found)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count > 1)}"


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
