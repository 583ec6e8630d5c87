"""`magflow sandbox fault ...`: ask for faults and take them back."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Annotated

import typer

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.model import (
    KINDS,
    Api,
    CreateFailed,
    DeleteBlocked,
    Fault,
    LeaveBehind,
    MachineFailed,
    NodeNotReady,
    StaleStatus,
    Stuck,
    image_left,
)
from magflow_sandbox.faults.reasons import CREATE_FAILED, MACHINE_FAILED
from magflow_sandbox.faults.store import Active, Store
from magflow_sandbox.home import Home

app = typer.Typer(no_args_is_help=True, help="What the sandbox does wrong on purpose.")
setting = typer.Typer(no_args_is_help=True, help="Ask for a fault; it stays until it is cleared or the sandbox ends.")
app.add_typer(setting, name="set")

ClusterOption = Annotated[str, typer.Option("--cluster", help="Name or stack_id of the cluster; a pattern.")]
GroupOption = Annotated[str, typer.Option("--group", help="Node group; a pattern; `control-plane` for the masters.")]


def _set(fault: type[Fault], **options: object) -> None:
    try:
        typer.echo(Store(Home.default()).set(fault(**options)))
    except SandboxError as error:
        raise _told(error) from None


def _told(error: SandboxError) -> typer.Exit:
    typer.echo(f"error: {error}", err=True)
    return typer.Exit(2)


@setting.command("stuck")
def stuck(
    cluster: ClusterOption = "*",
    at: Annotated[str, typer.Option(help=", ".join(Stuck.choices["at"]))] = "api",
) -> None:
    """A cluster stays CREATE_IN_PROGRESS; `--at status`: it is usable all the same."""
    _set(Stuck, cluster=cluster, at=at)


@setting.command("create-failed")
def create_failed(
    cluster: ClusterOption = "*",
    reason: Annotated[str, typer.Option(help=", ".join(CREATE_FAILED))] = "no-valid-host",
    text: Annotated[str, typer.Option(help="Another status_reason than the reason's own.")] = "",
) -> None:
    """Magnum says CREATE_FAILED with the text of a real failure."""
    _set(CreateFailed, cluster=cluster, reason=reason, text=text)


@setting.command("machine-failed")
def machine_failed(
    cluster: ClusterOption = "*",
    group: GroupOption = "*",
    reason: Annotated[str, typer.Option(help=", ".join(MACHINE_FAILED))] = "no-valid-host",
    count: Annotated[int, typer.Option(help="How many machines of the group; 0: all.")] = 0,
) -> None:
    """Machines fail as Cluster API reports it; Magnum stays in progress."""
    _set(MachineFailed, cluster=cluster, group=group, reason=reason, count=count)


@setting.command("node-not-ready")
def node_not_ready(
    cluster: ClusterOption = "*",
    group: GroupOption = "*",
    count: Annotated[int, typer.Option(help="How many nodes of the group; 0: all.")] = 0,
    how: Annotated[str, typer.Option(help=", ".join(NodeNotReady.choices["how"]))] = "not-ready",
) -> None:
    """Nodes of a group are NotReady, silent, or never join."""
    _set(NodeNotReady, cluster=cluster, group=group, count=count, how=how)


@setting.command("delete-blocked")
def delete_blocked(
    cluster: ClusterOption = "*",
    by: Annotated[str, typer.Option(help=", ".join(DeleteBlocked.choices["by"]))] = "security-group",
) -> None:
    """The deletion of a cluster does not end."""
    _set(DeleteBlocked, cluster=cluster, by=by)


@setting.command("leave-behind")
def leave_behind(
    what: Annotated[str, typer.Argument(help=", ".join([*LeaveBehind.choices["what"], "image"]))],
    cluster: ClusterOption = "*",
) -> None:
    """The deletion of a cluster leaves something; `image`: Glance says yes to every deletion and does nothing."""
    if what == "image":
        _set(Api, **image_left().options())
    else:
        _set(LeaveBehind, cluster=cluster, what=what)


@setting.command("api")
def api(
    service: Annotated[str, typer.Option(help=", ".join(Api.choices["service"]))],
    method: Annotated[str, typer.Option(help="GET, POST, ...; * for all.")] = "*",
    path: Annotated[str, typer.Option(help="Pattern of the path: `/v2.0/ports*`.")] = "*",
    answer: Annotated[str, typer.Option(help="A status from 400 to 599, or slow, reset, lost, ignored.")] = "503",
    seconds: Annotated[float, typer.Option(help="How long `slow` waits.")] = 5.0,
    count: Annotated[int, typer.Option(help="How often; 0: until it is cleared.")] = 0,
) -> None:
    """An OpenStack service answers with an error, late, or not at all."""
    options = {"service": service, "method": method.upper(), "path": path, "answer": answer}
    _set(Api, **options, seconds=seconds, count=count)


@setting.command("stale-status")
def stale_status(
    cluster: ClusterOption = "*",
    requests: Annotated[int, typer.Option(help="How many GETs are answered with the old status; 0: no bound.")] = 2,
    seconds: Annotated[float, typer.Option(help="The longest wait.")] = 30.0,
) -> None:
    """After a write Magnum answers the status of before for a while."""
    _set(StaleStatus, cluster=cluster, requests=requests, seconds=seconds)


@app.command("list")
def show(as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False) -> None:
    """The faults that are set, and the kinds that there are."""
    try:
        present = Store(Home.default()).active()
    except SandboxError as error:
        raise _told(error) from None
    if as_json:
        typer.echo(json.dumps([plain(item) for item in present], indent=2))
        return
    for item in present:
        typer.echo(line(item))
    typer.echo("no fault is set" if not present else "")
    for name, kind in KINDS.items():
        typer.echo(f"{name:16} {kind.title}")


@app.command()
def clear(
    name: Annotated[str | None, typer.Argument(help="Id or kind; all when not given.")] = None,
) -> None:
    """Take faults back: one by its id, all of a kind, or all."""
    try:
        gone = Store(Home.default()).clear(name)
    except SandboxError as error:
        raise _told(error) from None
    typer.echo(f"cleared {', '.join(gone)}" if gone else "no fault was set")


def plain(item: Active) -> dict[str, object]:
    """A fault as JSON shows it."""
    return {
        "id": item.id,
        "kind": item.fault.kind,
        "options": item.fault.options(),
        "used": item.used,
        "spent": item.spent,
    }


def line(item: Active) -> str:
    """A fault in a line: its id, what differs from the defaults, how often it was played."""
    defaults = {field.name: field.default for field in fields(item.fault) if field.default is not MISSING}
    said = [f"{key}={value}" for key, value in vars(item.fault).items() if value != defaults.get(key)]
    used = [f"played {item.used} times" + (", spent" if item.spent else "")] if item.used else []
    return f"{item.id}: " + ", ".join([*said, *used] or [item.fault.title])
