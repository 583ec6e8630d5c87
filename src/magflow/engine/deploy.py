"""Deploy: every enabled stage's step in order, each followed by its checks; goes on where a failed run stopped."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from magflow import stages
from magflow.checks.preflight import PREFLIGHT
from magflow.checks.world import World
from magflow.engine import report
from magflow.engine.journal import Journal
from magflow.engine.progress import Progress
from magflow.engine.run_folder import RunFolder
from magflow.engine.steps import digest, run_step
from magflow.engine.verify import Result, exit_code, run_checks
from magflow.engine.world import open_world
from magflow.errors import CannotTell, MagflowError
from magflow.settings_file import Environment
from magflow.stages.model import Stage


@dataclass
class StageRun:
    """One stage of one deploy.

    Attributes:
        name: the stage.
        outcome: deployed, kept (its inputs and checks were as a failed run left them) or failed.
        summary: what the step did, in a few words.
        changed: how many things the step changed.
        step_seconds: time of the step.
        check_seconds: time of its checks.
        results: its checks.
    """

    name: str
    outcome: str
    summary: str = ""
    changed: int = 0
    step_seconds: float = 0.0
    check_seconds: float = 0.0
    results: list[Result] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for reports."""
        return {
            "stage": self.name,
            "outcome": self.outcome,
            "summary": self.summary,
            "changed": self.changed,
            "step_seconds": round(self.step_seconds, 3),
            "check_seconds": round(self.check_seconds, 3),
        }


@dataclass
class Deployed:
    """What a deploy did; `error` is what stopped it."""

    stages: list[StageRun] = field(default_factory=list)
    preflight: list[Result] = field(default_factory=list)
    error: MagflowError | None = None

    @property
    def results(self) -> list[Result]:
        """Every check of the run."""
        return [*self.preflight, *(result for stage in self.stages for result in stage.results)]

    @property
    def exit_code(self) -> int:
        """0: all stages stand; 1: something failed; 2: could not tell."""
        if self.error:
            return self.error.exit_code
        return exit_code(self.results)


def choose(env: Environment, start: str | None, only: str | None) -> tuple[Stage, ...]:
    """The stages that a deploy or a verify is asked for.

    Raises:
        CannotTell: the stage is unknown or switched off.
    """
    chosen = stages.enabled(env.settings)
    wanted = only or start
    if wanted:
        stage = stages.named(wanted)
        if stage not in chosen:
            raise CannotTell(f"stage '{wanted}' is switched off", where=f"{env.file} stages.{wanted}")
        chosen = (stage,) if only else chosen[chosen.index(stage) :]
    if not chosen:
        raise CannotTell("every stage is switched off", where=f"{env.file} stages")
    return chosen


def deploy(
    env: Environment,
    run: RunFolder,
    progress: Progress,
    *,
    start: str | None = None,
    only: str | None = None,
    allow: Collection[str] = (),
) -> Deployed:
    """Runs the stages.

    Args:
        env: the environment.
        run: its run folder; the caller holds its lock.
        progress: is told everything as it happens.
        start: the stage to start from.
        only: the one stage to run.
        allow: addresses of what the plan guard lets through.

    Returns:
        what was done; a stage that failed is the last one, and the same command goes on from it.
    """
    chosen = choose(env, start, only)
    journal = Journal(run.journal)
    resumable = journal.unfinished() if not (start or only) else {}
    world = open_world(env, run)
    run.write_json(run.settings, env.settings.model_dump(mode="json", by_alias=True))
    journal.write("deploy_started", stages=[stage.name for stage in chosen])
    done = Deployed()
    try:
        progress.heading("preflight")
        done.preflight = run_checks("preflight", PREFLIGHT, world, on_result=progress.result)
        if exit_code(done.preflight):
            done.error = _stopped(done.preflight, "nothing was changed")
        for stage in chosen if not done.error else ():
            _check_order(stage, done.stages, world)
            former = resumable.get(stage.name)
            stage_run = _run_stage(stage, run, world, progress, journal, former.digest if former else None, allow)
            done.stages.append(stage_run)
            if stage_run.outcome == "failed":
                done.error = _stopped(stage_run.results, f"go on with: magflow deploy {env.name}")
                break
    except MagflowError as error:
        done.error = error
    report.write(run, done.results, [stage.as_dict() for stage in done.stages])
    if done.error:
        journal.write("deploy_failed", what=done.error.what)
    elif not (start or only):
        journal.write("deploy_finished", seconds=sum(s.step_seconds + s.check_seconds for s in done.stages))
    return done


def _run_stage(
    stage: Stage,
    run: RunFolder,
    world: World,
    progress: Progress,
    journal: Journal,
    former: str | None,
    allow: Collection[str],
) -> StageRun:
    progress.heading(stage.name, stage.title)
    started = time.monotonic()
    now = digest(stage, run, world)
    if former == now:
        kept = run_checks(stage.name, stage.checks, world, patient=False)
        if exit_code(kept) == 0:
            for result in kept:
                progress.result(result)
            stage_run = StageRun(stage.name, "kept", "as the last run left it", results=kept)
            stage_run.check_seconds = time.monotonic() - started
            progress.done(stage_run.outcome, stage_run.summary, stage_run.check_seconds)
            return stage_run
    journal.write("stage_started", stage=stage.name)
    try:
        step = run_step(stage, run, world, progress.now, allow)
    except MagflowError as error:
        journal.write("stage_failed", stage=stage.name, what=error.what)
        progress.done("failed", error.what, time.monotonic() - started)
        raise
    stage_run = StageRun(stage.name, "deployed", step.summary, step.changed, time.monotonic() - started)
    checking = time.monotonic()
    stage_run.results = run_checks(stage.name, stage.checks, world, on_result=progress.result)
    stage_run.check_seconds = time.monotonic() - checking
    seconds = stage_run.step_seconds + stage_run.check_seconds
    if not all(result.good for result in stage_run.results):
        stage_run.outcome = "failed"
        journal.write("stage_failed", stage=stage.name, what="checks")
    else:
        journal.write("stage_finished", stage=stage.name, digest=now, seconds=seconds)
    progress.done(stage_run.outcome, stage_run.summary, seconds)
    return stage_run


def _check_order(stage: Stage, before: Sequence[StageRun], world: World) -> None:
    ran = {stage_run.name for stage_run in before}
    for name in stage.after:
        if name not in ran and world.known_facts is None:
            raise CannotTell(
                f"stage '{stage.name}' comes after '{name}', which has not been deployed",
                hint="deploy without --from and --only first",
            )


def _stopped(results: Sequence[Result], go_on: str) -> MagflowError:
    bad = [result for result in results if not result.good]
    kind = MagflowError if any(str(result.outcome) == "failed" for result in bad) else CannotTell
    names = ", ".join(f"{result.stage}/{result.id}" for result in bad)
    return kind(f"not as it should be: {names}", hint=go_on)
