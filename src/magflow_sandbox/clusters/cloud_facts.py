"""What is known of a cluster's objects in OpenStack."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Network:
    """The nodes' network.

    Attributes:
        managed: whether it was made for the cluster.
    """

    id: str
    name: str
    subnet_id: str
    subnet_name: str
    cidr: str
    managed: bool


@dataclass(frozen=True)
class Groups:
    """Ids of the managed security groups."""

    control_plane: str
    worker: str


@dataclass(frozen=True)
class Port:
    """A node's port."""

    id: str
    address: str
