"""What is to be known of a cluster before it goes, so that what it leaves is known as its own."""

from __future__ import annotations

from typing import Any

from openstack.connection import Connection

from magflow.cloud import heat, magnum
from magflow.cloud.connection import readable
from magflow.cloud.magnum import Held
from magflow.cloud.ownership import Mark, Marks
from magflow.errors import MagflowError


def of_cluster(connection: Connection, cluster: dict[str, Any]) -> Marks:
    """The marks of a cluster.

    Args:
        connection: an authenticated connection.
        cluster: Magnum's answer.

    Raises:
        MagflowError: Magnum does not answer.
    """
    groups = _groups(connection, str(cluster["uuid"]))
    stack = heat.stack(connection, cluster.get("stack_id") or "")
    mark = Mark(
        id=str(cluster["uuid"]),
        name=str(cluster["name"]),
        stack_id=str(cluster.get("stack_id") or ""),
        project_id=str(cluster.get("project_id") or ""),
        stack_name=stack["name"] if stack else "",
        groups=groups,
        ca=_authority(connection, str(cluster["uuid"])),
    )
    made = heat.made(stack) if stack else {}
    if stack and stack["trustee"]:
        made["trustee"] = frozenset({stack["trustee"]})
    return Marks((mark,), made)


def _groups(connection: Connection, cluster: str) -> tuple[str, ...]:
    try:
        return tuple(sorted(group.name for group in magnum.node_groups(connection, Held(cluster, "", ""))))
    except MagflowError:
        # while a cluster is deleted its node groups go before it, and their list is an error
        return ()


def _authority(connection: Connection, cluster: str) -> str:
    if not connection.has_service("key-manager"):
        return ""
    try:
        with readable("Magnum, CA of the cluster"):
            return str(connection.container_infrastructure_management.get_cluster_certificate(cluster).pem or "")
    except MagflowError:
        # one that was never made has none
        return ""
