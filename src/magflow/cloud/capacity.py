"""How many machines are still to be made, and how many the cloud has free."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from openstack.connection import Connection

from magflow.cloud import magnum
from magflow.cloud.connection import readable
from magflow.errors import MagflowError
from magflow.settings import Settings

PLACEMENT = {"OpenStack-API-Version": "placement 1.4"}
"""The microversion whose list of providers knows `resources`, that is: who has so much free (Placement API guide)."""

MASTERS = "default-master"
"""The node group of the control plane, which Magnum makes with every cluster."""


class Forbidden(MagflowError):
    """The service answers, but not this user, or not this question."""


@dataclass
class Wanted:
    """What the clusters of the settings still need.

    Attributes:
        machines: how many machines of each flavor.
        clusters: names of the clusters that Magnum has not.
        standing: how many of the clusters are there already.
    """

    machines: Counter[str] = field(default_factory=Counter)
    clusters: list[str] = field(default_factory=list)
    standing: int = 0


def wanted(connection: Connection, settings: Settings) -> Wanted:
    """What the settings ask for minus what Magnum has.

    Args:
        connection: an authenticated connection.
        settings: of the environment.

    Raises:
        MagflowError: with Magnum's own words.
    """
    there = {cluster.name: cluster for cluster in magnum.clusters(connection)}
    result = Wanted()
    for name in settings.cluster_names:
        one = settings.of_cluster(name)
        control = one.cluster.control_plane
        if name in there:
            result.standing += 1
            has = _machines(connection, there[name].id)
        else:
            result.clusters.append(name)
            has = Counter()
        asked: list[tuple[str, str, int]] = [(MASTERS, control.flavor, control.count)]
        asked += [(group, wish.flavor, wish.count) for group, wish in one.node_groups.items()]
        for group, flavor, count in asked:
            if count > has[group]:
                result.machines[flavor] += count - has[group]
    return result


def _machines(connection: Connection, cluster: str) -> Counter[str]:
    """How many machines each node group has; by name, since a group may hold its flavor by name or by id."""
    service: Any = connection.container_infrastructure_management
    path = f"/clusters/{cluster}/nodegroups"
    with readable("Magnum"):
        answer = service.get(path, headers=magnum.MICROVERSION)
    if answer.status_code >= 400:
        raise MagflowError(f"Magnum answered {answer.status_code}: {answer.text[:300]}", where=path)
    return Counter({str(group["name"]): int(group["node_count"]) for group in answer.json()["nodegroups"]})


def free_machines(connection: Connection, resource_class: str) -> int:
    """Ironic machines of a class that nobody has: providers with one of it free. An Ironic node is a provider of one.

    Args:
        connection: an authenticated connection; Placement answers administrators alone, unless its policy says else.
        resource_class: such as CUSTOM_BAREMETAL_GPU4.

    Raises:
        Forbidden: not for this user.
        MagflowError: Placement's own words.
    """
    service: Any = connection.placement
    with readable("Placement"):
        answer = service.get(f"/resource_providers?resources={resource_class}:1", headers=PLACEMENT)
    if answer.status_code in {401, 403}:
        raise Forbidden("Placement answers administrators alone")
    if answer.status_code == 400 and "resource class" in answer.text:
        return 0
    if answer.status_code >= 400:
        raise MagflowError(f"Placement answered {answer.status_code}: {answer.text[:300]}")
    return len(answer.json()["resource_providers"])
