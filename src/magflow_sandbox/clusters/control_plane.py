"""One Kubernetes control plane in a network namespace of its own, with a door on 127.0.0.1.

Usage::

    plane = ControlPlane(home, supervisor, tools, "demo", port=26600)              # makes its own authorities
    plane = ControlPlane(home, supervisor, tools, name, port=26601, ca=CA(...), front_proxy=CA(...), sa=key_pem)
    plane.start()                      # idempotent; adopts what runs, starts what is missing, waits until it answers
    plane.ready(), plane.dead()        # the truth, now
    nodes.sync(plane.api(), [...])
    plane.kubeconfig()                 # path of an administrator's kubeconfig (server https://127.0.0.1:PORT)
    plane.stop(); plane.delete()       # delete removes its data too

Programs are named ``cluster/<name>/<program>``: etcd, apiserver, controller-manager, scheduler, kwok, agent (answers
for fake pods, runs real programs; see agent.py) and door. The API server binds 100.64.0.1 on lo of the namespace, all
others 127.0.0.1: nothing listens on every address, because such a listener would answer for every pod.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from magflow_sandbox import door
from magflow_sandbox.clusters import addresses, components, nodes
from magflow_sandbox.clusters.addresses import Ranges
from magflow_sandbox.clusters.api import Api, ApiError
from magflow_sandbox.clusters.files import ClusterFiles
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.namespaces import Netns
from magflow_sandbox.pki import CA
from magflow_sandbox.supervisor import Program, Supervisor, python
from magflow_sandbox.toolchain import Toolchain

KUBERNETES = "v1.36.3"
KUBERNETES_PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
WATCHING = "agent.watching"  # as in agent.py
PARTS = ("etcd", "apiserver", "controller-manager", "scheduler", "kwok", "agent", "door")


class ControlPlane:
    """A cluster's control plane.

    Args:
        home: state folder.
        supervisor: of that home.
        tools: finds the programs.
        name: of the cluster; lower case letters, digits and dashes.
        port: of the door on 127.0.0.1, and of the API server inside.
        ranges: pods, services, nodes.
        ca: the cluster's authority (clients and API server), made when not given.
        front_proxy: the aggregator's authority, made when not given.
        sa: private key (PEM) of service account tokens, made when not given.
        kubernetes: version, must be one that the toolchain has.
        names: further addresses and names in the API server's certificate.
        also_in: another namespace in which the door is open too (the OpenStack services' one).
    """

    def __init__(
        self,
        home: Home,
        supervisor: Supervisor,
        tools: Toolchain,
        name: str,
        *,
        port: int,
        ranges: Ranges | None = None,
        ca: CA | None = None,
        front_proxy: CA | None = None,
        sa: str | None = None,
        kubernetes: str = KUBERNETES,
        names: Sequence[str] = (),
        also_in: Netns | None = None,
    ) -> None:
        self.home, self.supervisor, self.tools, self.name = home, supervisor, tools, name
        self.port, self.ranges, self.kubernetes = port, ranges or Ranges(), kubernetes
        self.folder = home.clusters / name
        self.net = Netns(supervisor, f"cluster-{name}")
        self.files = ClusterFiles(
            self.folder, name, port, self.ranges, tools, names=names, ca=ca, front_proxy=front_proxy, sa=sa
        )
        self._also_in = also_in
        self._api: Api | None = None

    # -- changes

    def start(self, within: float = 90) -> None:
        """Make it run and answer.

        Args:
            within: seconds until it must answer.

        Raises:
            SandboxError: no programs of this version, the port is taken, or a program ended; with its log.
        """
        for program in ("etcd", "kwok"):
            self.tools.path(program)
        for program in KUBERNETES_PROGRAMS:  # all are looked up before anything is started
            self.tools.path(program, self.kubernetes)
        deadline = time.monotonic() + within
        if not self.supervisor.alive(self.net.holder):
            self.stop()  # what still runs in a namespace that nobody can enter; in order: etcd alone would not end
        self.net.up()
        self.net.address(f"{addresses.API}/32")
        self.net.any_ip(self.ranges.fake_pods)
        if self.ranges.nodes:
            self.net.any_ip(self.ranges.nodes)
        self.files.write()
        self._start_door()
        self._start_apiserver()
        self._wait("apiserver", lambda: self.api().ok("/readyz"), deadline)
        self._start_controllers()
        self._start_kwok()
        self._start_agent()
        self._wait("agent", self._agent_watches, deadline)
        account = "/api/v1/namespaces/default/serviceaccounts/default"  # pods can be made only when it is there
        self._wait("controller-manager", lambda: self.api().ok(account), deadline)

    def stop(self) -> None:
        """End its programs and its namespace; the data stay."""
        self.supervisor.stop(self.program("agent"))  # first: it would start real programs again
        self.supervisor.stop_all(self._running())

    def delete(self) -> None:
        """Stop it and remove its data and logs."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.home.log, self.supervisor.records):
            shutil.rmtree(folder / "cluster" / self.name, ignore_errors=True)
            shutil.rmtree(folder / self.net.holder, ignore_errors=True)

    # -- questions

    def program(self, part: str) -> str:
        """The supervised name of a part."""
        return f"cluster/{self.name}/{part}"

    def dead(self) -> list[str]:
        """The parts that should run and do not."""
        parts = [part for part in PARTS if not self.supervisor.alive(self.program(part))]
        return parts if self.supervisor.alive(self.net.holder) else ["namespace", *parts]

    def ready(self) -> bool:
        """Whether every part runs and the API answers through the door."""
        return not self.dead() and self._agent_watches() and self.api().ok("/readyz")

    def kubeconfig(self, user: str = "admin") -> Path:
        """A user's kubeconfig for use outside of the namespace (mode 0600)."""
        return self.files.kubeconfig(user)

    def api(self) -> Api:
        """The administrator's client, through the door."""
        if self._api is None:
            self._api = Api.from_kubeconfig(self.kubeconfig())
        return self._api

    # -- inside

    def _agent_watches(self) -> bool:
        try:
            watching = int((self.folder / WATCHING).read_text())
        except (FileNotFoundError, ValueError):
            return False
        return watching == self.supervisor.pid(self.program("agent"))

    def _running(self) -> list[str]:
        prefixes = (f"cluster/{self.name}/", f"{self.net.holder}/")
        names = self.supervisor.names()
        return [name for name in names if name.startswith(prefixes) or name == self.net.holder]

    def _start(self, part: str, command: list[str], *env: dict[str, str], after: tuple[str, ...] = ()) -> None:
        self.supervisor.start(self._described(part, command, *env, after=after))

    def _described(self, part: str, command: list[str], *env: dict[str, str], after: tuple[str, ...] = ()) -> Program:
        needs = tuple(self.program(name) for name in after)
        environment = components.environment(*env)
        return Program(self.program(part), command, environment, namespace=self.net.name, after=needs)

    def _wait(self, part: str, answers: Callable[[], bool], deadline: float) -> None:
        self.supervisor.wait(self.program(part), answers, max(1, deadline - time.monotonic()))

    def _start_apiserver(self) -> None:
        command = components.etcd(self.tools.path("etcd"), self.folder / "etcd")
        etcd = self._described("etcd", command, components.memory(96))
        if self.supervisor.alive(etcd.name) and not self.supervisor.runs(etcd):
            self.supervisor.stop(self.program("apiserver"))  # an etcd that is in use does not end
        self.supervisor.start(etcd)
        apiserver = components.apiserver(
            self.tools.path("kube-apiserver", self.kubernetes),
            self.files.pki,
            address=addresses.API,
            port=self.port,
            services=self.ranges.services,
        )
        self._start("apiserver", apiserver, components.memory(384), after=("etcd",))

    def _start_controllers(self) -> None:
        for part, command, megabytes in (
            ("controller-manager", components.controller_manager, 96),
            ("scheduler", components.scheduler, 64),
        ):
            program = self.tools.path(f"kube-{part}", self.kubernetes)
            argv = command(program, self.files.pki, self.files.inside(part))
            self._start(part, argv, components.memory(megabytes), after=("apiserver",))

    def _start_kwok(self) -> None:
        block = self.folder / "pod-block"
        if block.exists() and self.supervisor.runs(self._kwok(block.read_text())):
            return
        self.supervisor.stop(self.program("kwok"))
        nodes.forget_holder(self.api())
        write_private(block, self.ranges.block(nodes.pod_addresses(self.api())))
        self.supervisor.start(self._kwok(block.read_text()))

    def _kwok(self, block: str) -> Program:
        files = self.files
        command = components.kwok(self.tools.path("kwok"), files.inside("kwok"), files.stages, pods=block)
        return self._described("kwok", command, components.memory(64), after=("apiserver",))

    def _start_agent(self) -> None:
        command = [*python("magflow_sandbox.clusters.agent"), "--home", str(self.home.path), "--cluster", self.name]
        command += ["--port", str(self.port), "--pods", self.ranges.pods, "--cache", str(self.tools.cache)]
        self._start("agent", command, after=("apiserver",))

    def _start_door(self) -> None:
        target = f"{self.port}={addresses.API}:{self.port}"
        name = self.program("door")
        if not self.supervisor.alive(name) and door.open("127.0.0.1", self.port):
            raise SandboxError(
                f"port {self.port} of 127.0.0.1 is taken by another program", hint="stop it, or use another port"
            )
        self.supervisor.start(door.program(name, into=self.net, maps=[target]))
        self.supervisor.wait(name, lambda: door.open("127.0.0.1", self.port), within=10, every=0.05)
        if self._also_in is not None:
            name = self.program(f"door-{self._also_in.name}")
            self.supervisor.start(door.program(name, into=self.net, maps=[target], listen_in=self._also_in))


__all__ = ["KUBERNETES", "PARTS", "ApiError", "ControlPlane", "Ranges"]
