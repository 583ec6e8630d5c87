"""The stage table that ends a deploy."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from magflow.engine.deploy import StageRun
from magflow.engine.verify import Outcome


def stage_table(stages: Sequence[StageRun]) -> Table:
    """A row a stage: how it ended, what its step did, the time of step and checks, and the checks' outcomes."""
    table = Table(box=box.SIMPLE, title_justify="left")
    for heading in ("stage", "outcome"):
        table.add_column(heading, no_wrap=True)
    table.add_column("step", overflow="fold")
    for heading in ("step s", "checks s"):
        table.add_column(heading, justify="right")
    table.add_column("checks", overflow="fold")
    for stage in stages:
        counts = [(outcome, sum(r.outcome is outcome for r in stage.results)) for outcome in Outcome]
        table.add_row(
            stage.name,
            stage.outcome,
            stage.summary,
            f"{stage.step_seconds:.1f}",
            f"{stage.check_seconds:.1f}",
            ", ".join(f"{count} {outcome}" for outcome, count in counts if count),
        )
    total = sum(stage.step_seconds for stage in stages), sum(stage.check_seconds for stage in stages)
    table.add_section()
    table.add_row("total", "", "", f"{total[0]:.1f}", f"{total[1]:.1f}", "")
    return table
