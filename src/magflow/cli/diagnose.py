"""`magflow diagnose` and `magflow leftovers`: why something is stuck, and what is still there. Both only look."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from magflow.cli.shared import Env, Json, screen
from magflow.errors import CannotTell


def diagnose(
    env: Env,
    what: Annotated[str, typer.Argument(metavar="WHAT", help="What to diagnose: cluster.")] = "cluster",
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="One cluster; else all.")] = None,
    management: Annotated[
        Path | None,
        typer.Option(
            "--management-kubeconfig",
            metavar="FILE",
            help="Kubeconfig of the Cluster API management cluster, which is only read; "
            "else cloud.management_kubeconfig of the settings.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Why is it stuck: ranked causes, evidence, next steps. Example: magflow diagnose sandbox cluster."""
    from magflow import settings_file
    from magflow.engine import diagnose as engine
    from magflow.engine.run_folder import RunFolder
    from magflow.engine.world import open_world

    if what != "cluster":
        raise CannotTell(f"nothing is known of diagnosing '{what}'", hint="it may be: cluster")
    environment = settings_file.load(env)
    run = RunFolder(environment.name)
    world = open_world(environment, run)
    management = management or environment.settings.cloud.management_kubeconfig
    found = engine.clusters(world, run, only=cluster, management=management)
    if as_json:
        clusters = [item.diagnosis.as_dict() | {"seen": item.evidence.as_dict()} for item in found]
        print(json.dumps({"environment": environment.name, "clusters": clusters}, indent=2))
    else:
        console = screen(False).console
        for item in found:
            for line in lines(item.diagnosis):
                console.print(line, markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(exit_code(item.diagnosis.exit_code for item in found))


def leftovers(env: Env, as_json: Json = False) -> None:
    """What the cloud still has of an environment; deletes nothing. Example: magflow leftovers sandbox."""
    from magflow import settings_file
    from magflow.cli.shared import print_report
    from magflow.engine import report
    from magflow.engine.destroy import proof
    from magflow.engine.run_folder import RunFolder
    from magflow.engine.verify import exit_code as code
    from magflow.engine.world import open_world

    environment = settings_file.load(env)
    run = RunFolder(environment.name).create()
    view = screen(as_json)
    view.heading("proof", "Nothing is left in the cloud")
    results = proof.run(open_world(environment, run), run, view, patient=False)
    report.write(run, results, [])
    print_report(as_json, environment.name, results, [])
    raise typer.Exit(code(results))


def exit_code(codes: Iterable[int]) -> int:
    """Of several clusters: 1 when something is wrong with one, else 2 when one is not to be told yet."""
    found = set(codes)
    return 1 if 1 in found else max(found, default=2)


def lines(diagnosis: Any) -> Iterable[str]:
    """A diagnosis as people read it."""
    place = f" ({diagnosis.id})" if diagnosis.id else ""
    yield f"cluster {diagnosis.cluster}{place}: {diagnosis.verdict}, {diagnosis.meaning}"
    for line in diagnosis.evidence:
        yield f"  {line}"
    for number, cause in enumerate(diagnosis.causes, 1):
        yield f"  {number}. {cause.code}: {cause.title}"
        for line in (line for line in cause.evidence if line not in diagnosis.evidence):
            yield f"     {'seen:':<6}{line}"
        for step in cause.do:
            yield f"     {'do:':<6}{step}"
        if cause.source:
            yield f"     {'see:':<6}{cause.source}"
    for line in diagnosis.unseen:
        yield f"  not seen: {line}"
