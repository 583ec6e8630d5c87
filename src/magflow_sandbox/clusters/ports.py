"""Ports of cluster APIs on 127.0.0.1: one a cluster, remembered in its OpenStackCluster."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from magflow_sandbox import door
from magflow_sandbox.clusters.cluster_api import View
from magflow_sandbox.errors import SandboxError

FIRST, LAST = 26600, 26699


class Ports:
    """Gives out ports; threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given: dict[tuple[str, str], int] = {}

    def learn(self, views: Iterable[View]) -> None:
        """Take over what the clusters have already."""
        with self._lock:
            for view in views:
                port = _known(view)
                if port is not None:
                    self._given[view.namespace, view.name] = port

    def give(self, view: View) -> int:
        """The cluster's port; the lowest free one for a new cluster.

        Raises:
            SandboxError: all are taken.
        """
        place = (view.namespace, view.name)
        with self._lock:
            if place not in self._given:
                taken = set(self._given.values())
                free = (
                    port for port in range(FIRST, LAST + 1) if port not in taken and not door.open("127.0.0.1", port)
                )
                port = next(free, None)
                if port is None:
                    raise SandboxError(f"all ports from {FIRST} to {LAST} are taken", hint="delete a cluster")
                self._given[place] = port
            return self._given[place]

    def take_back(self, view: View) -> None:
        """The cluster is gone."""
        with self._lock:
            self._given.pop((view.namespace, view.name), None)


def _known(view: View) -> int | None:
    endpoint = view.infrastructure.get("spec", {}).get("controlPlaneEndpoint") or {}
    port = int(endpoint.get("port") or 0)
    return port if FIRST <= port <= LAST else None
