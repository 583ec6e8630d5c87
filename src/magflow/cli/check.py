"""`magflow check`: look before anything is changed. What is looked at is an environment, or one thing that is named.

A further thing to look at is one more option of `check`, one more line in its table and one more function below.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from magflow.cli.shared import Allow, Json, print_report, screen

if TYPE_CHECKING:
    from magflow.findings import Finding


def check(
    env: Annotated[
        str | None, typer.Argument(metavar="ENV", help="Name of a file under variables/, or a path to one.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Look at the settings of ENV alone.")] = False,
    plan: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Look at a stored plan (terraform show -json PLAN); - reads it from standard input."
        ),
    ] = None,
    allow: Allow = None,
    terraform: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Look at Terraform files of your own, with all folders below.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look before anything is changed: at an environment, or at one thing. Example: magflow check sandbox."""
    asked = {"ENV": env, "--plan": plan, "--terraform": terraform}
    given = [name for name, value in asked.items() if value is not None]
    if len(given) != 1:
        raise typer.BadParameter(f"name one thing to look at; got {' and '.join(given) or 'none'}: {', '.join(asked)}")
    for option, used, owner in (("--offline", offline, "ENV"), ("--allow", allow, "--plan")):
        if used and given != [owner]:
            raise typer.BadParameter(f"{option} goes with {owner}")
    if env is not None:
        _environment(env, offline, as_json)
    elif plan is not None:
        _plan(plan, allow or [], as_json)
    elif terraform is not None:
        _terraform(terraform, as_json)


def _environment(env: str, offline: bool, as_json: bool) -> None:
    from magflow import paths, settings_file
    from magflow.checks import preflight
    from magflow.engine.run_folder import RunFolder
    from magflow.engine.verify import exit_code, run_checks
    from magflow.engine.world import open_world

    environment = settings_file.load(env)
    checks = preflight.OFFLINE if offline else preflight.PREFLIGHT
    view = screen(as_json)
    view.heading("preflight", paths.shown(environment.file))
    world = open_world(environment, RunFolder(environment.name))
    results = run_checks("preflight", checks, world, patient=False, on_result=view.result)
    print_report(as_json, environment.name, results, [])
    raise typer.Exit(exit_code(results))


def _plan(file: Path, allow: Sequence[str], as_json: bool) -> None:
    from magflow.engine.plan import file as plan_file
    from magflow.engine.plan import guard
    from magflow.engine.plan.shown import Plan

    found = plan_file.load(file)
    plan = Plan(found, guard.examine(found, allow))
    _show("plan", file, plan.summary if not plan.empty else "no changes", plan.findings, as_json)


def _terraform(folder: Path, as_json: bool) -> None:
    from magflow.rules import terraform_files

    looked = terraform_files.examine(folder)
    _show("terraform", folder, looked.summary, looked.findings, as_json)


def _show(target: str, place: Path, summary: str, found: Sequence[Finding], as_json: bool) -> None:
    """Prints what was found in one thing, and ends with exit 1 when an error is among it."""
    from magflow.findings import errors

    status = 1 if errors(found) else 0
    if as_json:
        data = {"target": target, "path": str(place), "summary": summary, "exit_code": status}
        print(json.dumps(data | {"findings": [finding.as_dict() for finding in found]}, indent=2))
        raise typer.Exit(status)
    view = screen(as_json)
    view.heading(target, f"{place}: {summary}")
    for finding in found:
        view.finding(finding)
    if not found:
        view.console.print("  nothing found", highlight=False)
    raise typer.Exit(status)
