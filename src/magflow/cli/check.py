"""`magflow check`: look before anything is changed. What is looked at is an environment, or one thing that is named.

A further target is one more option of `check` and one more line in its table.
"""

from __future__ import annotations

from typing import Annotated

import typer

from magflow.cli.shared import Json, print_report, screen


def check(
    env: Annotated[
        str | None, typer.Argument(metavar="ENV", help="Name of a file under variables/, or a path to one.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Look at the settings alone.")] = False,
    as_json: Json = False,
) -> None:
    """Preflight: settings, programs, credentials, image, flavors, networks. Example: magflow check sandbox."""
    if env is None:
        raise typer.BadParameter("name what to look at", param_hint="ENV")
    _environment(env, offline, as_json)


def _environment(env: str, offline: bool, as_json: bool) -> None:
    from magflow import paths, settings_file
    from magflow.checks import preflight
    from magflow.engine.deploy import open_world
    from magflow.engine.run_folder import RunFolder
    from magflow.engine.verify import exit_code, run_checks

    environment = settings_file.load(env)
    checks = preflight.OFFLINE if offline else preflight.PREFLIGHT
    view = screen(as_json)
    view.heading("preflight", paths.shown(environment.file))
    world = open_world(environment, RunFolder(environment.name))
    results = run_checks("preflight", checks, world, patient=False, on_result=view.result)
    print_report(as_json, environment.name, results, [])
    raise typer.Exit(exit_code(results))
