"""The one loop that runs checks: patience, outcomes, and what counts as a pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from magflow.checks.model import Check, NotApplicable, Problem, Warned
from magflow.checks.world import World
from magflow.errors import CannotTell, MagflowError
from magflow.findings import Finding, Severity


class Outcome(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    SKIPPED = "skipped"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Result:
    """What became of one check.

    Attributes:
        stage: the stage (or list) that the check belongs to.
        id: the check's id.
        title: the check's title.
        outcome: how it ended.
        evidence: what was seen, or the reason.
        hint: what to do, when something is to be done.
        seconds: how long it took, waiting included.
        found: what was found one by one, when the check looks at many things.
    """

    stage: str
    id: str
    title: str
    outcome: Outcome
    evidence: str = ""
    hint: str = ""
    seconds: float = 0.0
    found: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found; a check that looks at one thing gives one finding, named after the check."""
        if self.found or self.outcome in {Outcome.OK, Outcome.SKIPPED}:
            return self.found
        severity = Severity.WARNING if self.outcome is Outcome.WARNING else Severity.ERROR
        code = self.id.upper().replace("-", "_")
        return (Finding(code, severity, f"{self.stage}/{self.id}", self.evidence, self.hint),)

    @property
    def good(self) -> bool:
        """Whether the pipeline may go on."""
        return self.outcome in {Outcome.OK, Outcome.WARNING, Outcome.SKIPPED}

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data for reports."""
        return {
            "stage": self.stage,
            "id": self.id,
            "title": self.title,
            "outcome": str(self.outcome),
            "evidence": self.evidence,
            "hint": self.hint,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Clock:
    """Time as the loop sees it; tests give their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def run_checks(
    stage: str,
    checks: Sequence[Check],
    world: World,
    *,
    patient: bool = True,
    on_result: Callable[[Result], None] = lambda _result: None,
    clock: Clock | None = None,
) -> list[Result]:
    """Runs checks in order.

    Args:
        stage: name that the results carry.
        checks: what to look at; none at all is an error, since zero results are never a pass.
        world: what the probes look at.
        patient: wait for each title to become true (a deploy does; a verify looks once).
        on_result: told each result at once.
        clock: time, for tests.

    Raises:
        MagflowError: there is no check.
    """
    if not checks:
        raise MagflowError(f"stage '{stage}' has no checks", hint="a stage that proves nothing is a defect; report it")
    results: list[Result] = []
    broken: str | None = None
    for check in checks:
        if broken:
            result = Result(stage, check.id, check.title, Outcome.SKIPPED, f"not looked at, since {broken} failed")
        else:
            result = _run(stage, check, world, patient, clock or Clock())
        results.append(result)
        on_result(result)
        if check.fatal and not result.good:
            broken = check.id
    return results


def _run(stage: str, check: Check, world: World, patient: bool, clock: Clock) -> Result:
    start = clock.now()
    deadline = start + (check.within * world.settings.cloud.time_scale if patient else 0.0)
    pause = 0.25
    while True:
        look = _look(check, world)
        outcome, evidence, final = look.outcome, look.evidence, look.final
        if outcome not in {Outcome.FAILED, Outcome.UNKNOWN} or final or clock.now() + pause > deadline:
            break
        clock.sleep(pause)
        pause = min(pause * 1.5, 3.0)
    waited = clock.now() - start
    if outcome is Outcome.FAILED and patient and check.within and not final:
        evidence = f"{evidence} (waited {waited:.0f} s)"
    return Result(stage, check.id, check.title, outcome, evidence, look.hint or "", waited, look.found)


@dataclass(frozen=True)
class _Look:
    """One look; final: another would be vain."""

    outcome: Outcome
    evidence: str
    hint: str | None = None
    final: bool = True
    found: tuple[Finding, ...] = ()


def _look(check: Check, world: World) -> _Look:
    try:
        return _Look(Outcome.OK, check.probe(world) or "")
    except Warned as warned:
        return _Look(Outcome.WARNING, warned.what, warned.hint, found=warned.findings)
    except NotApplicable as reason:
        return _Look(Outcome.SKIPPED, str(reason))
    except Problem as problem:
        return _Look(Outcome.FAILED, problem.what, problem.hint, problem.final, problem.findings)
    except CannotTell as error:
        return _Look(Outcome.UNKNOWN, _said(error), error.hint, final=False)
    except MagflowError as error:
        return _Look(Outcome.FAILED, _said(error), error.hint, final=False)


def _said(error: MagflowError) -> str:
    return f"{error.what} ({error.where})" if error.where else error.what


def exit_code(results: Sequence[Result]) -> int:
    """0: all good; 1: a check failed; 2: something could not be told, or nothing was looked at."""
    if any(result.outcome is Outcome.FAILED for result in results):
        return 1
    looked = [result for result in results if result.outcome is not Outcome.SKIPPED]
    return 2 if not looked or any(result.outcome is Outcome.UNKNOWN for result in results) else 0
