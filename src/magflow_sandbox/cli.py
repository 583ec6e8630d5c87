"""`magflow sandbox ...`: the cloud on this machine."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from magflow_sandbox.cloud import Cloud
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults import cli as faults
from magflow_sandbox.status import Status

app = typer.Typer(
    no_args_is_help=True, help="The sandbox cloud on this machine: real OpenStack and Kubernetes services."
)
app.add_typer(faults.app, name="fault")
MIB = 1024 * 1024


@contextmanager
def _told() -> Iterator[None]:
    """Print a SandboxError as people read it and exit with 2: the sandbox could not do what was asked."""
    # logs, too, are nobody else's
    before = os.umask(0o077)
    try:
        yield
    except SandboxError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("error: interrupted\n  do: run it again, it goes on where it was", err=True)
        raise typer.Exit(2) from None
    finally:
        os.umask(before)


def _progress() -> Callable[[str], None]:
    begun = time.monotonic()
    return lambda text: typer.echo(f"{time.monotonic() - begun:5.1f} s  {text}")


@app.command()
def up(
    wait: Annotated[bool, typer.Option("--wait", help="Wait until every cluster is ready again.")] = False,
    extra: Annotated[list[str] | None, typer.Option("--with", help="A service more: octavia. It stays.")] = None,
) -> None:
    """Start the cloud; starts only what is missing and heals what died."""
    progress = _progress()
    with _told():
        cloud = Cloud.default()
        if extra:
            cloud.extend(extra)
        cloud.up(progress)
        if wait:
            cloud.wait_for_clusters(progress)
        progress(f"up; cloud `sandbox` in {cloud.home.clouds_yaml}")


@app.command()
def down() -> None:
    """Stop every process of the cloud; its state stays."""
    progress = _progress()
    with _told():
        Cloud.default().down()
        progress("down")


@app.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False) -> None:
    """What runs, what died, which doors answer. Exit 0: up; 1: down, or something died."""
    with _told():
        found = Cloud.default().status()
    typer.echo(json.dumps(_plain(found), indent=2)) if as_json else _show(found)
    raise typer.Exit(0 if found.state == "up" else 1)


@app.command()
def env() -> None:
    """Print exports for a shell: eval "$(magflow sandbox env)"."""
    with _told():
        cloud = Cloud.default()
        bins = [cloud.toolchain.path("kubectl").parent, cloud.toolchain.terraform().parent, Path(sys.executable).parent]
        path = [*dict.fromkeys(str(folder) for folder in bins), os.environ.get("PATH", "/usr/bin:/bin")]
        values = {
            "OS_CLIENT_CONFIG_FILE": cloud.home.clouds_yaml,
            "OS_CLOUD": "sandbox",
            "TF_CLI_CONFIG_FILE": cloud.toolchain.cli_config(),
            "PATH": ":".join(path),
        }
    for name, value in values.items():
        typer.echo(f"export {name}={shlex.quote(str(value))}")


@app.command()
def reset() -> None:
    """Stop the cloud and forget its state; built programs stay in the cache."""
    with _told():
        Cloud.default().reset()
        typer.echo("down and forgotten")


def _plain(found: Status) -> dict[str, object]:
    programs = [
        {
            "name": item.name,
            "state": item.state,
            "pid": item.pid,
            "since": item.since,
            "rss": item.rss,
            "log": str(item.log),
        }
        for item in found.programs
    ]
    clusters = None if found.clusters is None else [asdict(item) for item in found.clusters]
    return {
        "state": found.state,
        "programs": programs,
        "missing": found.missing,
        "doors": found.doors,
        "clusters": clusters,
        "faults": [faults.plain(item) for item in found.faults],
        "rss": found.rss,
    }


def _show(found: Status) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"sandbox is {found.state}")
    if not found.programs:
        console.print("  do: magflow sandbox up")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("program", "state", "pid", "MiB", "door"):
        table.add_column(title, justify="right" if title in {"pid", "MiB"} else "left")
    for item in found.programs:
        answer = {True: "answers", False: "does not answer", None: ""}[found.doors.get(item.name)]
        table.add_row(item.name, item.state, str(item.pid), str(item.rss // MIB), answer)
    console.print(table)
    for cluster in found.clusters or []:
        console.print(f"cluster {cluster.name}: {cluster.phase}, {'ready' if cluster.ready else 'not ready'}")
    for fault in found.faults:
        console.print(f"fault {faults.line(fault)}")
    for name in found.missing:
        console.print(f"missing: {name} was not started")
    for item in found.dead:
        console.print(f"dead: {item.name}\n  where: {item.log}")
    if found.clusters is None:
        console.print("the management API does not answer")
    if found.state != "up":
        console.print("  do: magflow sandbox up")
    console.print(f"{found.rss // MIB} MiB in all")


if __name__ == "__main__":
    app()
