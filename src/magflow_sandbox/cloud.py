"""The sandbox cloud as a whole: up, down, what it is, start again.

Usage::

    cloud = Cloud.default()
    cloud.up(print)          # starts what is missing, heals what died; idempotent
    cloud.status()           # what runs, what died, which doors answer
    cloud.down()
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path

import magflow_sandbox
from magflow_sandbox import door, namespaces
from magflow_sandbox.clusters import components
from magflow_sandbox.clusters.api import Api
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.store import Store
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.namespaces import Netns
from magflow_sandbox.openstack import catalog, databases, files, management, mariadb
from magflow_sandbox.openstack.place import kubernetes_versions, place, write_chart
from magflow_sandbox.openstack.service import Service
from magflow_sandbox.openstack.site import PORTS, Site
from magflow_sandbox.probe import answers
from magflow_sandbox.status import Cluster, Status, cluster
from magflow_sandbox.supervisor import Program, Supervisor, python
from magflow_sandbox.toolchain import Toolchain

Progress = Callable[[str], None]
NAMESPACE = "openstack"
DOOR = "door/openstack"
CONTROLLER = "controller"
BEAT_SECONDS = 60
START_SECONDS = 120
"""Patience for a service's start; a loaded machine with two cores may need most of it."""


class Cloud:
    """The sandbox cloud of one home."""

    def __init__(self, home: Home, toolchain: Toolchain) -> None:
        self.home = home
        self.toolchain = toolchain
        self.supervisor = Supervisor(home)
        self.network = Netns(self.supervisor, NAMESPACE)

    @classmethod
    def default(cls) -> Cloud:
        """The cloud of the default home and cache."""
        return cls(Home.default(), Toolchain())

    @cached_property
    def site(self) -> Site:
        """Paths and passwords; made when they are not there."""
        return place(self.home.create(), self.toolchain)

    @cached_property
    def services(self) -> tuple[Service, ...]:
        """The OpenStack services, configured for this home."""
        return catalog.services(self.site, self.extras)

    @property
    def extras(self) -> list[str]:
        """Services beyond the usual ones."""
        return json.loads(self._extras.read_text()) if self._extras.exists() else []

    def extend(self, extras: Sequence[str]) -> None:
        """Have these services, too, from the next :meth:`up` on; only `reset` forgets them.

        Raises:
            SandboxError: there is no such service.
        """
        unknown = [name for name in extras if name not in catalog.EXTRAS]
        if unknown:
            raise SandboxError(f"there is no service {unknown[0]}", hint=f"one of {', '.join(catalog.EXTRAS)}")
        self.home.create()
        write_private(self._extras, json.dumps(sorted({*self.extras, *extras})))

    @property
    def _extras(self) -> Path:
        return self.home.path / "extras.json"

    @property
    def _doors(self) -> list[str]:
        return [*(service.name for service in self.services), "management"]

    def up(self, progress: Progress) -> None:
        """Make the whole cloud run: start what is missing, restart what died or whose configuration changed.

        Raises:
            SandboxError: a tool is missing, a port is taken, a program does not come up.
        """
        reason = namespaces.missing()
        if reason:
            raise SandboxError(reason, hint="run as root, or allow user namespaces")
        with self.supervisor.lock():
            self._check_ports()
            server = self.toolchain.path("mariadbd")
            for service in self.services:
                files.write(service, self.site)
            management.write_files(self.site)
            write_chart(self.site.chart, kubernetes_versions(self.toolchain))
            self.network.up()
            self.supervisor.start(door.program(DOOR, into=self.network, maps=[PORTS[name] for name in self._doors]))
            self._start_management()
            cache = self.toolchain.cache / "database"
            databases.ensure(self.home, self.supervisor, self.services, self.site, server, cache, progress)
            databases.start(self.supervisor, self.site, server, self.site.data / "mariadb")
            down = [service.name for service in self.services if not self.supervisor.alive(service.name)]
            if down:
                progress("starting " + ", ".join(down))
            with ThreadPoolExecutor(len(self.services)) as pool:
                # side by side, because those whose configuration changed end first
                list(pool.map(self.supervisor.start, map(self._program, self.services)))
            self._install_kinds()
            self._wait_for_services()
            self._bootstrap(progress)
            self._start_controller()
            self._link()

    def down(self) -> None:
        """End faults and processes, the controller first (it would heal what ends), API servers before their etcd."""
        if not self.home.path.exists():
            return
        with self.supervisor.lock():
            Store(self.home).clear()
            self.supervisor.stop(CONTROLLER)
            self.supervisor.stop_all()

    def wait_for_clusters(self, progress: Progress, within: float = 180) -> None:
        """Wait until every cluster of the management API is ready.

        Raises:
            SandboxError: one is not in time; says which and where it stands.
        """
        deadline, told = time.monotonic() + within, False
        while True:
            clusters = self._clusters()
            waiting = [cluster for cluster in clusters or [] if not cluster.ready]
            if clusters is not None and not waiting:
                return
            if not told:
                progress("waiting for " + (", ".join(cluster.name for cluster in waiting) or "the management API"))
                told = True
            if time.monotonic() > deadline:
                names = ", ".join(f"{cluster.name} ({cluster.phase})" for cluster in waiting) or "the management API"
                raise SandboxError(f"not ready after {within:.0f} s: {names}", where=self.supervisor.log(CONTROLLER))
            time.sleep(0.5)

    def reset(self) -> None:
        """Go down and forget everything; built programs stay in the cache."""
        self.down()
        checkout_link = self.home.path.parent / "clouds.yaml"
        if checkout_link.is_symlink() and checkout_link.resolve() == self.home.clouds_yaml.resolve():
            checkout_link.unlink()
        shutil.rmtree(self.home.path, ignore_errors=True)

    def status(self) -> Status:
        """Look at everything now."""
        programs = self.supervisor.programs() if self.home.path.exists() else []
        if not programs:
            return Status([], [], {}, None)
        known = {program.name for program in programs}
        with ThreadPoolExecutor(len(PORTS)) as pool:
            found = pool.map(lambda name: answers(self.site.url(name, "/"), self.site.ca), self._doors)
            doors = dict(zip(self._doors, found, strict=True))
        doors[CONTROLLER] = self._controller_beats()
        missing = [name for name in self._expected() if name not in known]
        clusters = self._clusters() if doors["management"] else None
        return Status(programs, missing, doors, clusters, Store(self.home).active())

    def _controller_beats(self) -> bool:
        beat = self.home.run / "controller.beat"
        return beat.exists() and time.time() - beat.stat().st_mtime < BEAT_SECONDS

    def _expected(self) -> list[str]:
        own = [mariadb.NAME, management.ETCD, management.APISERVER, DOOR, CONTROLLER, self.network.holder]
        return own + [service.name for service in self.services]

    def _clusters(self) -> list[Cluster] | None:
        try:
            found = Api.from_kubeconfig(self.site.management).all("/apis/cluster.x-k8s.io/v1beta1/clusters")
        except SandboxError:
            return None
        return [cluster(item) for item in found]

    def _check_ports(self) -> None:
        if self.supervisor.alive(DOOR):
            return
        taken = [str(port) for port in map(PORTS.__getitem__, self._doors) if door.open("127.0.0.1", port)]
        if taken:
            raise SandboxError(
                f"something else listens on 127.0.0.1, port {', '.join(taken)}",
                hint="stop it; is another sandbox up (`magflow sandbox status` in its checkout)?",
            )

    def _program(self, service: Service) -> Program:
        helm = self.toolchain.path("helm").parent
        environment = files.environment(service, self.site, (helm,))
        environment["MAGFLOW_CONFIGURATION"] = files.digest(service)
        argv = files.command(service, self.site)
        return Program(service.name, argv, environment, namespace=NAMESPACE, after=(mariadb.NAME,))

    def _start_management(self) -> None:
        environment = {"PATH": "/usr/bin:/bin", **components.memory(256)}
        etcd = management.etcd(self.toolchain.path("etcd"), self.site)
        self.supervisor.start(Program(management.ETCD, etcd, environment, namespace=NAMESPACE))
        apiserver = management.apiserver(self.toolchain.path("kube-apiserver"), self.site)
        program = Program(
            management.APISERVER, apiserver, environment, namespace=NAMESPACE, after=(management.ETCD, DOOR)
        )
        self.supervisor.start(program)

    def _install_kinds(self) -> None:
        api = Api.from_kubeconfig(self.site.management)
        self.supervisor.wait(management.APISERVER, api.ok, within=START_SECONDS)
        modules = {name: self.toolchain.module_dir(name) for name in management.KINDS}
        management.install_kinds(api, modules, self.site.data / "management" / "kinds.digest")
        self.supervisor.wait(management.APISERVER, lambda: management.kinds_served(api), within=30)

    def _wait_for_services(self) -> None:
        for service in self.services:
            url = self.site.url(service.name, "/")
            self.supervisor.wait(service.name, partial(answers, url, self.site.ca), within=START_SECONDS)

    def _bootstrap(self, progress: Progress) -> None:
        # the SDK takes a second to import, which `status` and `down` need not wait for
        from magflow_sandbox.openstack import bootstrap

        try:
            made = bootstrap.ensure(self.supervisor, self.services, self.site, self.home.clouds_yaml)
        except bootstrap.REFUSED as error:
            raise SandboxError(f"the cloud refuses its first objects: {error}", where=self.home.log) from error
        if made:
            progress("made the catalog, users, flavors, images and networks")

    def _start_controller(self) -> None:
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "2"}
        environment["MAGFLOW_CACHE"] = str(self.toolchain.cache)
        environment["MAGFLOW_CONFIGURATION"] = _code()
        argv = [*python("magflow_sandbox.clusters.controller"), "--home", str(self.home.path)]
        program = Program(CONTROLLER, argv, environment, after=(management.APISERVER, DOOR))
        since = time.time()
        started = self.supervisor.start(program)
        beat = self.home.run / "controller.beat"

        def looked_round() -> bool:
            return beat.exists() and (not started or beat.stat().st_mtime >= since)

        self.supervisor.wait(CONTROLLER, looked_round, within=START_SECONDS)

    def _link(self) -> None:
        """The training operator's manifests beside clouds.yaml, and clouds.yaml where clients look: in the checkout."""
        self.home.manifests.mkdir(exist_ok=True, mode=0o700)
        link = self.home.manifests / "training-operator"
        source = self.toolchain.module_dir("training-operator") / "manifests"
        if link.is_symlink() and link.readlink() != source:
            link.unlink()
        if not link.exists():
            link.symlink_to(source)
        clouds = self.home.path.parent / "clouds.yaml"
        if self.home.path.name == ".sandbox" and not clouds.exists() and not clouds.is_symlink():
            clouds.symlink_to(Path(self.home.path.name) / self.home.clouds_yaml.name)


def _code() -> str:
    """Digest of this package: a controller that runs older code is to be restarted."""
    files = sorted(Path(magflow_sandbox.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
