"""One Kubernetes cluster without OpenStack: for tests of roles, and to try things.

``python -m magflow_sandbox.clusters.standalone up --kubeconfig FILE [--name dev] [--nodes default-worker=2,gpu=1:4]``
starts it (or goes on with what runs), waits until its nodes are Ready and writes an administrator's kubeconfig.
``down`` ends it and removes its data.
"""

from __future__ import annotations

import argparse
import socket
import sys
import time
from pathlib import Path

from magflow_sandbox import door
from magflow_sandbox.clusters import nodes
from magflow_sandbox.clusters.addresses import Ranges
from magflow_sandbox.clusters.control_plane import KUBERNETES, ControlPlane
from magflow_sandbox.clusters.nodes import Capacity, Node
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.namespaces import USER_HOLDER
from magflow_sandbox.supervisor import Supervisor
from magflow_sandbox.toolchain import Toolchain

TOOLS = ("etcd", "kubernetes", "kwok", "training-operator")
PORTS = range(26600, 26700)
NODES = "10.0.0.0/24"


def parse_groups(text: str) -> dict[str, tuple[int, int]]:
    """``default-worker=2,gpu=1:4`` -> {"default-worker": (2, 0), "gpu": (1, 4)}: nodes, GPUs of each.

    Raises:
        SandboxError: it does not read so.
    """
    groups = {}
    for part in filter(None, text.split(",")):
        name, _, size = part.partition("=")
        count, _, gpus = size.partition(":")
        if not (name and count.isdigit() and (gpus or "0").isdigit()):
            raise SandboxError(f"not a node group: {part!r}", hint="write NAME=COUNT or NAME=COUNT:GPUS")
        groups[name] = (int(count), int(gpus or 0))
    return groups


def wanted_nodes(cluster: str, groups: dict[str, tuple[int, int]]) -> list[Node]:
    """The control-plane node and those of the groups, with addresses in their order."""
    found = [Node("default-master", f"{cluster}-control-plane-0", "10.0.0.10", Capacity(8, 32), control_plane=True)]
    for group, (count, gpus) in groups.items():
        capacity = Capacity(64, 512, gpus) if gpus else Capacity(32, 128)
        for number in range(count):
            address = f"10.0.0.{10 + len(found)}"
            found.append(
                Node(group, f"{cluster}-{group}-{number}", address, capacity, provider_id=f"sandbox:///{address}")
            )
    return found


def up(
    home: Home, name: str, groups: dict[str, tuple[int, int]], tools: Toolchain, port: int | None = None
) -> ControlPlane:
    """Start the cluster, or go on with it; returns when its nodes are Ready.

    Raises:
        SandboxError: something does not run or answer.
    """
    home.create()
    supervisor = Supervisor(home)
    with supervisor.lock(f"{name}.lock"):
        plane = ControlPlane(home, supervisor, tools, name, port=port or _port(home, name), ranges=Ranges(nodes=NODES))
        plane.start()
        wanted = wanted_nodes(name, groups)
        nodes.sync(plane.api(), wanted)
        deadline = time.monotonic() + 60
        while missing := {node.name for node in wanted} - nodes.ready(plane.api()):
            if time.monotonic() > deadline:
                raise SandboxError(
                    f"nodes are not Ready: {', '.join(sorted(missing))}", where=home.log / "cluster" / name
                )
            time.sleep(0.2)
        return plane


def down(home: Home, name: str) -> None:
    """End the cluster and remove its data."""
    supervisor = Supervisor(home)
    with supervisor.lock(f"{name}.lock"):
        ControlPlane(home, supervisor, Toolchain(), name, port=PORTS[0]).delete()
        if supervisor.names() == [USER_HOLDER]:  # nothing else lies below the user namespace
            supervisor.stop(USER_HOLDER)


def _port(home: Home, name: str) -> int:
    """The port of this cluster's first start, else a free one."""
    kept = home.clusters / name / "port"
    if kept.exists():
        return int(kept.read_text())
    for port in PORTS:
        if not door.open("127.0.0.1", port) and _can_bind(port):
            write_private(kept, str(port))
            return port
    raise SandboxError(f"no port is free between {PORTS[0]} and {PORTS[-1]}")


def _can_bind(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def main(argv: list[str] | None = None) -> int:
    """The command line; 0 good, 1 failed."""
    parser = argparse.ArgumentParser(prog="python -m magflow_sandbox.clusters.standalone", description=__doc__)
    parser.add_argument("command", choices=("up", "down"))
    parser.add_argument("--kubeconfig", type=Path, help="where to write the administrator's kubeconfig")
    parser.add_argument("--nodes", default="default-worker=2,gpu=1:4", help="NAME=COUNT[:GPUS],...")
    parser.add_argument("--name", default="standalone", help="of the cluster")
    parser.add_argument("--home", type=Path, help="state folder (default: the sandbox's)")
    given = parser.parse_args(argv)
    home = Home(given.home.resolve()) if given.home else Home.default()
    try:
        if given.command == "down":
            down(home, given.name)
            if given.kubeconfig:
                given.kubeconfig.unlink(missing_ok=True)
            return 0
        groups = parse_groups(given.nodes)
        tools = Toolchain()
        tools.ensure("demo", only=TOOLS)
        plane = up(home, given.name, groups, tools)
        if given.kubeconfig:
            write_private(given.kubeconfig.resolve(), plane.kubeconfig().read_text())
        count = sum(number for number, _ in groups.values()) + 1
        print(f"cluster {given.name} ({KUBERNETES}) answers on https://127.0.0.1:{plane.port} with {count} nodes")
    except SandboxError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
