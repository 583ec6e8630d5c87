"""What several commands have in common: their words, the screen, the report."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console

PLAIN_WIDTH = 120
"""Columns of tables that go to a file or a pipe."""

Env = Annotated[str, typer.Argument(metavar="ENV", help="Name of a file under variables/, or a path to one.")]
Allow = Annotated[
    list[str] | None,
    typer.Option(metavar="ADDRESS", help="Let the plan guard's errors at this resource through. May be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON on standard output.")]


def screen(as_json: bool) -> Any:
    """The screen of a command; with --json, standard output holds the report alone."""
    from magflow.engine.progress import Screen

    console = Console(stderr=as_json)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return Screen(console)


def print_report(as_json: bool, env: str, results: Any, stages: Any) -> None:
    """Prints the report of a run of checks, when JSON was asked for."""
    from magflow.engine import report

    if as_json:
        print(json.dumps(report.as_data(env, results, stages), indent=2))
