"""What a probe may look at. Clients are opened at the first look and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from openstack.connection import Connection

from magflow.cloud import capacity, connection
from magflow.cloud.capacity import Wanted
from magflow.errors import CannotTell
from magflow.facts import Facts
from magflow.kube.client import Kube, connect
from magflow.settings import Settings


@dataclass
class World:
    """The settings, the facts of the last deploy, and the live APIs."""

    settings: Settings
    kubeconfig: Path
    known_facts: Facts | None = None

    @property
    def facts(self) -> Facts:
        """What the cloud answered.

        Raises:
            CannotTell: before the first deploy of the stage `cluster`.
        """
        if self.known_facts is None:
            raise CannotTell("nothing is known of the cluster yet", hint="deploy the stage cluster first")
        return self.known_facts

    @cached_property
    def cloud(self) -> Connection:
        """An authenticated connection to OpenStack."""
        return connection.connect(self.settings.cloud)

    @cached_property
    def wanted(self) -> Wanted:
        """What the clusters of the settings still need of the cloud."""
        return capacity.wanted(self.cloud, self.settings)

    @cached_property
    def kube(self) -> Kube:
        """A client of the cluster's API."""
        return connect(self.kubeconfig)
