"""Under an autoscaler the counts of the settings are those to begin with: what it has made of them since, stays.

Terraform would pull every count back, and end what runs on the nodes that it takes away.
"""

from __future__ import annotations

from collections.abc import Callable

from openstack.connection import Connection

from magflow.cloud import magnum
from magflow.settings import NodeGroup, Settings


def adopt(settings: Settings, connect: Callable[[], Connection]) -> Settings:
    """The settings with the counts that Magnum has, of the groups that an autoscaler may change, within their bounds.

    Args:
        settings: what the operator decided.
        connect: opens a connection; it is called only when there is an autoscaler.

    Raises:
        MagflowError: Magnum does not answer.
    """
    names = [name for name in settings.cluster_names if settings.of_cluster(name).cluster.autoscaling]
    if not names:
        return settings
    connection = connect()
    found = {held.name: held for held in magnum.clusters(connection) if held.name in names}
    clusters = dict(settings.clusters)
    own = settings.node_groups
    for name, held in found.items():
        counts = {item["name"]: item["node_count"] for item in magnum.show_node_groups(connection, held.id)}
        groups = {key: _adopted(group, counts.get(key)) for key, group in settings.of_cluster(name).node_groups.items()}
        if name == settings.cluster.name:
            own = groups
        else:
            clusters[name] = clusters[name].model_copy(update={"node_groups": groups})
    # a further cluster without groups of its own has those of the settings, not what an autoscaler made of them
    for name in clusters.keys() - found.keys():
        if clusters[name].node_groups is None:
            clusters[name] = clusters[name].model_copy(update={"node_groups": settings.node_groups})
    return settings.model_copy(update={"node_groups": own, "clusters": clusters})


def _adopted(group: NodeGroup, live: int | None) -> NodeGroup:
    if live is None or group.min is None or group.max is None:
        return group
    return group.model_copy(update={"count": min(max(live, group.min), group.max)})
