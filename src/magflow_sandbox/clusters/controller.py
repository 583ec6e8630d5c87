"""The infrastructure controller makes Magnum's Cluster API objects come true: `python -m ...clusters.controller`.

Stands in for Cluster API's core, kubeadm and OpenStack controllers and the addon provider. Runs on the host side under
the supervisor, reaches the management API and OpenStack by their doors, and starts each cluster's programs through the
same supervisor: they outlive the controller, and the next one takes them over.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters.api import Api
from magflow_sandbox.clusters.lifecycle import LATER, Lifecycle
from magflow_sandbox.clusters.ports import Ports
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.store import Store
from magflow_sandbox.home import Home
from magflow_sandbox.supervisor import Supervisor
from magflow_sandbox.toolchain import Toolchain

LOG = logging.getLogger("controller")
WATCHED = ("Cluster", "MachineDeployment", "KubeadmControlPlane", "OpenStackCluster", "Manifests")
WORKERS = 4
SETTLE = 0.1
"""Seconds that are waited after a change for those that come with it (Helm writes a dozen objects)."""
FAULTS = 0.3
"""Seconds between looks at whether other faults are asked for."""

Place = tuple[str, str]


class Controller:
    """Looks round whenever something changed or time has come, and works on each cluster in a thread."""

    def __init__(self, home: Home, tools: Toolchain) -> None:
        self.home, self.tools = home, tools
        self.api = Api.from_kubeconfig(home.etc / "management.kubeconfig")
        self.supervisor, self.ports = Supervisor(home), Ports()
        self._wake = threading.Event()
        self._changed = False
        self._lives: dict[Place, Lifecycle] = {}
        self._running: dict[Place, Future[float]] = {}
        self._due: dict[Place, float] = {}
        self._again: set[Place] = set()

    def run(self) -> None:
        """Work until the process is ended."""
        for kind in WATCHED:
            threading.Thread(target=self._watch, args=(kind,), daemon=True).start()
        threading.Thread(target=self._watch_faults, daemon=True).start()
        with ThreadPoolExecutor(WORKERS) as pool:
            while True:
                self._wake.wait(self._patience())
                self._wake.clear()
                changed, self._changed = self._changed, False
                if changed:
                    time.sleep(SETTLE)
                try:
                    self.look(pool, everything=changed)
                    (self.home.run / "controller.beat").touch()
                except SandboxError as error:
                    LOG.warning("cannot look round: %s", error.what)
                    self._changed = True
                    time.sleep(1)

    def look(self, pool: ThreadPoolExecutor, *, everything: bool) -> None:
        """Start a pass for every cluster that is due (after a change: for all), one at a time for each."""
        views = capi.views({kind: self._list(kind) for kind in capi.COLLECTIONS})
        self.ports.learn(views)
        places = {(view.namespace, view.name): view for view in views}
        for gone in self._lives.keys() - places.keys() - self._running.keys():
            del self._lives[gone]
            self._due.pop(gone, None)
        for place, view in places.items():
            if place in self._running:
                # what changed meanwhile is not in the view that is being worked on
                self._again |= {place} if everything else set()
            elif everything or self._due.get(place, 0) <= time.monotonic():
                if place not in self._lives:
                    self._lives[place] = Lifecycle(
                        self.home, self.supervisor, self.tools, self.api, self.ports, view.namespace, view.name
                    )
                    self._lives[place].doubt(view)
                future = self._running[place] = pool.submit(self._lives[place].step, view)
                future.add_done_callback(lambda done, place=place: self._done(place, done))  # type: ignore[misc]

    def _done(self, place: Place, done: Future[float]) -> None:
        error = done.exception()
        if error is not None:
            LOG.error("%s: the pass failed", place[1], exc_info=error)
        pause = LATER if error is not None else done.result()
        if place in self._again:
            self._again.discard(place)
            pause = 0
        self._due[place] = time.monotonic() + pause
        self._running.pop(place, None)
        self._wake.set()

    def _patience(self) -> float:
        now = time.monotonic()
        waiting = [due - now for place, due in self._due.items() if place not in self._running]
        return max(0.02, min(waiting, default=LATER))

    def _list(self, kind: str) -> list[capi.Object]:
        group, version, _ = capi.COLLECTIONS[kind].split("/")
        # items of a list do not say what they are
        return [{**item, "kind": kind, "apiVersion": f"{group}/{version}"} for item in self.api.all(capi.path(kind))]

    def _watch(self, kind: str) -> None:
        for _ in self.api.watch(capi.path(kind)):
            self._changed = True
            self._wake.set()

    def _watch_faults(self) -> None:
        path, seen = Store(self.home).path, None
        while True:
            found = path.stat().st_mtime_ns if path.exists() else None
            if found != seen:
                seen, self._changed = found, True
                self._wake.set()
            time.sleep(FAULTS)


def main(argv: list[str] | None = None) -> None:
    """Command line: `--home FOLDER`."""
    parser = argparse.ArgumentParser(description="the sandbox's infrastructure controller")
    parser.add_argument("--home", type=Path, required=True, help="folder of the sandbox")
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stderr)
    home = Home(parser.parse_args(argv).home)
    # its programs belong to the supervisor, and a pass may end anywhere: nothing is to be cleaned up
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    Controller(home, Toolchain()).run()


if __name__ == "__main__":
    main()
