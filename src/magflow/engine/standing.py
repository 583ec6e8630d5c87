"""Where an environment stands: the journal's last word on each stage, and the last checks."""

from __future__ import annotations

import json
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from magflow import stages
from magflow.engine.journal import Journal
from magflow.engine.run_folder import RunFolder
from magflow.settings import Settings

WORDS = {"stage_started": "interrupted", "stage_finished": "deployed", "stage_failed": "failed"}


def read(run: RunFolder, settings: Settings) -> dict[str, Any]:
    """The standing as plain data: environment, cluster, stages with their last event, counts of the last checks."""
    last: dict[str, dict[str, Any]] = {}
    for event in Journal(run.journal).events():
        if event["event"] == "destroy_finished":
            last = {}
        elif event["event"] in WORDS:
            last[event["stage"]] = event
    facts = run.facts()
    return {
        "environment": run.env,
        "cluster": facts.cluster.model_dump() if facts else None,
        "stages": [
            {
                "stage": stage.name,
                "standing": WORDS[last[stage.name]["event"]] if stage.name in last else "not deployed",
                "since": last[stage.name]["time"] if stage.name in last else None,
                "why": last[stage.name].get("what") if stage.name in last else None,
            }
            for stage in stages.enabled(settings)
        ],
        "checks": json.loads(run.checks_json.read_text(encoding="utf-8")) if run.checks_json.is_file() else None,
    }


def show(console: Console, standing: dict[str, Any]) -> None:
    """Prints it."""
    cluster = standing["cluster"]
    where = f"cluster {cluster['name']} ({cluster['id']}) at {cluster['api_address']}" if cluster else "no cluster yet"
    console.print(f"environment {standing['environment']}: {where}", highlight=False, soft_wrap=True)
    table = Table(box=box.SIMPLE)
    for heading in ("stage", "standing", "since", "why"):
        table.add_column(heading, overflow="fold")
    for row in standing["stages"]:
        table.add_row(row["stage"], row["standing"], row["since"] or "", row["why"] or "")
    console.print(table)
    if checks := standing["checks"]:
        counts = ", ".join(f"{count} {name}" for name, count in checks["counts"].items() if count)
        console.print(f"last checks {checks['time']}: {counts or 'none'}", highlight=False)
