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
from collections.abc import Sequence
from pathlib import Path

from magflow_sandbox import door, pki
from magflow_sandbox.clusters import addresses, components, kubeconfigs, nodes, programs, stages
from magflow_sandbox.clusters.addresses import Ranges
from magflow_sandbox.clusters.api import Api, ApiError
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.namespaces import Netns
from magflow_sandbox.pki import CA
from magflow_sandbox.supervisor import Program, Supervisor, python
from magflow_sandbox.toolchain import Toolchain

KUBERNETES = "v1.36.3"
WATCHING = "agent.watching"  # as in agent.py
PARTS = ("etcd", "apiserver", "controller-manager", "scheduler", "kwok", "agent", "door")
USERS = {  # user: (common name, organizations), reached from outside or not
    "admin": ("kubernetes-admin", ("system:masters",)),
    "controller-manager": ("system:kube-controller-manager", ()),
    "scheduler": ("system:kube-scheduler", ()),
    "kwok": ("sandbox-kwok", ("system:masters",)),
    "agent": ("sandbox-agent", ("system:masters",)),
}


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
        self._given = (ca, front_proxy, sa)
        self._names, self._also_in = tuple(names), also_in
        self._api: Api | None = None

    # -- changes

    def start(self, within: float = 90) -> None:
        """Make it run and answer.

        Args:
            within: seconds until it must answer.

        Raises:
            SandboxError: no programs of this version, the port is taken, or a program ended; with its log.
        """
        binaries = {program: self.tools.path(program, self.kubernetes) for program in _KUBERNETES_PROGRAMS}
        self.net.up()
        self.net.address(f"{addresses.API}/32")
        self.net.any_ip(self.ranges.fake_pods)
        if self.ranges.nodes:
            self.net.any_ip(self.ranges.nodes)
        self._write_files()
        self._start_door()
        folder, keys = self.folder, self.folder / "pki"
        self._start("etcd", components.etcd(self.tools.path("etcd"), folder / "etcd"), components.memory(96))
        apiserver = components.apiserver(
            binaries["kube-apiserver"],
            keys,
            address=addresses.API,
            port=self.port,
            services=self.ranges.services,
        )
        self._start("apiserver", apiserver, components.memory(384), after=("etcd",))
        deadline = time.monotonic() + within
        self.supervisor.wait(self.program("apiserver"), lambda: self.api().ok("/readyz"), within)
        after = ("apiserver",)
        manager, scheduler = binaries["kube-controller-manager"], binaries["kube-scheduler"]
        command = components.controller_manager(manager, keys, self._inside("controller-manager"))
        self._start("controller-manager", command, components.memory(96), after=after)
        command = components.scheduler(scheduler, keys, self._inside("scheduler"))
        self._start("scheduler", command, components.memory(64), after=after)
        command = components.kwok(
            self.tools.path("kwok"), self._inside("kwok"), folder / "stages.yaml", pods=self.ranges.fake_pods
        )
        if not self.supervisor.alive(self.program("kwok")):
            nodes.forget_holder(self.api())
        self._start("kwok", command, components.memory(64), after=after)
        agent = [*python("magflow_sandbox.clusters.agent"), "--home", str(self.home.path), "--cluster", self.name]
        agent += ["--port", str(self.port), "--pods", self.ranges.pods, "--cache", str(self.tools.cache)]
        self._start("agent", agent, after=after)
        self.supervisor.wait(self.program("agent"), self._agent_watches, max(1, deadline - time.monotonic()))
        path = "/api/v1/namespaces/default/serviceaccounts/default"  # pods can be made only when it is there
        waiting = self.program("controller-manager")
        self.supervisor.wait(waiting, lambda: self.api().ok(path), max(1, deadline - time.monotonic()))

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
        return self.folder / "kubeconfig" / user

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

    def _inside(self, user: str) -> Path:
        return self.folder / "kubeconfig" / f"inside-{user}"

    def _running(self) -> list[str]:
        prefixes = (f"cluster/{self.name}/", f"{self.net.holder}/")
        names = self.supervisor.names()
        return [name for name in names if name.startswith(prefixes) or name == self.net.holder]

    def _start(self, part: str, command: list[str], *env: dict[str, str], after: tuple[str, ...] = ()) -> None:
        needs = tuple(self.program(name) for name in after)
        environment = components.environment(*env)
        self.supervisor.start(Program(self.program(part), command, environment, namespace=self.net.name, after=needs))

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

    def _write_files(self) -> None:
        keys = self.folder / "pki"
        ca, front_proxy, sa = self._authorities(keys)
        key = Path(keys / "sa.key")
        if not key.exists() or (sa is not None and key.read_text() != sa):
            write_private(key, sa or pki.rsa_key())
        write_private(keys / "sa.pub", pki.public_key(key.read_text()))
        local = ["127.0.0.1", addresses.API, self.ranges.first_service]
        service = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"]
        dns = ["localhost", *service, *(name for name in self._names if not _is_address(name))]
        ips = [*local, *(name for name in self._names if _is_address(name))]
        ca.ensure_pair(keys / "apiserver", "kube-apiserver", dns=dns, ips=ips, client=False)
        ca.ensure_pair(keys / "loopback", "loopback", dns=["localhost"], ips=["127.0.0.1"], client=False)
        masters = ("system:masters",)
        ca.ensure_pair(keys / "kubelet-client", "kube-apiserver-kubelet-client", organization=masters, server=False)
        front_proxy.ensure_pair(keys / "front-proxy-client", "front-proxy-client", server=False)
        for user, (common_name, organization) in USERS.items():
            pair = ca.ensure_pair(keys / f"user-{user}", common_name, organization=organization, server=False)
            for host, path in (("127.0.0.1", self.kubeconfig(user)), (addresses.API, self._inside(user))):
                text = kubeconfigs.text(f"https://{host}:{self.port}", ca.cert, pair, cluster=self.name, user=user)
                _write_changed(path, text)
        _write_changed(self.folder / "stages.yaml", stages.text(self.tools.module_dir("kwok"), programs.LABELS))

    def _authorities(self, keys: Path) -> tuple[CA, CA, str | None]:
        ca, front_proxy, sa = self._given
        if ca is None:
            ca = CA.ensure(keys / "ca", f"{self.name}-ca")
        elif pki.Pair.read(keys / "ca") != pki.Pair(ca.cert, ca.key):
            ca.write(keys / "ca")
        if front_proxy is None:
            front_proxy = CA.ensure(keys / "front-proxy-ca", f"{self.name}-front-proxy-ca")
        elif pki.Pair.read(keys / "front-proxy-ca") != pki.Pair(front_proxy.cert, front_proxy.key):
            front_proxy.write(keys / "front-proxy-ca")
        return ca, front_proxy, sa


_KUBERNETES_PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


def _is_address(name: str) -> bool:
    return name.replace(".", "").isdigit()


def _write_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        write_private(path, text)


__all__ = ["KUBERNETES", "PARTS", "ApiError", "ControlPlane", "Ranges"]
