"""The commands. Each reads its words, calls the engine and prints what came of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from magflow.cli.shared import Allow, Env, Json, print_report, screen


def plan(env: Env, allow: Allow = None, as_json: Json = False) -> None:
    """What a deploy would change. Nothing is written to the cloud. Example: magflow plan sandbox."""
    from magflow import settings_file
    from magflow.engine.plan import environment as planning
    from magflow.engine.run_folder import RunFolder
    from magflow.findings import errors

    environment = settings_file.load(env)
    run = RunFolder(environment.name)
    with run.lock():
        found = planning.plan(environment, run, allow or [])
    if as_json:
        print(json.dumps(found.as_dict(), indent=2))
    else:
        for line in found.lines() or ["no changes"]:
            print(line)
        view = screen(as_json)
        for finding in found.findings:
            view.finding(finding)
    raise typer.Exit(1 if errors(found.findings) else 0)


def deploy(
    env: Env,
    start: Annotated[str | None, typer.Option("--from", metavar="STAGE", help="Start from this stage.")] = None,
    only: Annotated[str | None, typer.Option(metavar="STAGE", help="Run this stage alone.")] = None,
    allow: Allow = None,
    as_json: Json = False,
) -> None:
    """Run every stage, each verified; after a failure the same command goes on. Example: magflow deploy sandbox."""
    from magflow import settings_file
    from magflow.engine import deploy as engine
    from magflow.engine.run_folder import RunFolder

    environment = settings_file.load(env)
    run = RunFolder(environment.name)
    view = screen(as_json)
    with run.lock():
        done = engine.deploy(environment, run, view, start=start, only=only, allow=allow or [])
    view.stop()
    if as_json:
        print_report(True, environment.name, done.results, [stage.as_dict() for stage in done.stages])
    else:
        _print_stages(view.console, done.stages, run.path)
    if done.error:
        raise done.error
    raise typer.Exit(done.exit_code)


def verify(
    env: Env,
    stage: Annotated[str | None, typer.Option(metavar="STAGE", help="The checks of this stage alone.")] = None,
    as_json: Json = False,
) -> None:
    """Run all checks now, and change nothing. Example: magflow verify sandbox --stage ingress."""
    from magflow import settings_file
    from magflow.engine import deploy as engine
    from magflow.engine import report
    from magflow.engine.run_folder import RunFolder
    from magflow.engine.verify import exit_code, run_checks
    from magflow.engine.world import open_world

    environment = settings_file.load(env)
    run = RunFolder(environment.name).create()
    view = screen(as_json)
    world = open_world(environment, run)
    results = []
    for chosen in engine.choose(environment, None, stage):
        view.heading(chosen.name, chosen.title)
        results += run_checks(chosen.name, chosen.checks, world, patient=False, on_result=view.result)
    report.write(run, results, [])
    print_report(as_json, environment.name, results, [])
    raise typer.Exit(exit_code(results))


def status(env: Env, as_json: Json = False) -> None:
    """Where the environment stands, from its journal and its last checks. Example: magflow status sandbox."""
    from magflow import settings_file
    from magflow.engine import standing
    from magflow.engine.run_folder import RunFolder

    environment = settings_file.load(env)
    found = standing.read(RunFolder(environment.name), environment.settings)
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        standing.show(Console(), found)


def destroy(
    env: Env,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Take everything down, then prove that nothing is left. Example: magflow destroy sandbox --yes."""
    from magflow import settings_file
    from magflow.engine import destroy as engine
    from magflow.engine import report
    from magflow.engine.run_folder import RunFolder
    from magflow.engine.verify import exit_code

    environment = settings_file.load(env)
    names = "', '".join(environment.settings.cluster_names)
    if not yes:
        typer.confirm(f"destroy '{names}' of cloud '{environment.settings.cloud.name}' and all in it?", abort=True)
    run = RunFolder(environment.name)
    view = screen(as_json)
    with run.lock():
        results = engine.destroy(environment, run, view)
    view.stop()
    if as_json:
        destroyed = {"destroyed": exit_code(results) == 0}
        print(json.dumps(report.as_data(environment.name, results, []) | destroyed, indent=2))
    raise typer.Exit(exit_code(results))


def _print_stages(console: Console, stages: Any, folder: Path) -> None:
    from magflow import paths
    from magflow.engine.tables import stage_table

    if stages:
        console.print(stage_table(stages))
        console.print(f"reports, logs and kubeconfig: {paths.shown(folder)}", highlight=False, soft_wrap=True)
