"""What Magnum has: clusters and node groups. openstacksdk knows no node groups (4.22), so its session asks for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tenacity
from openstack.connection import Connection

from magflow.cloud.connection import readable
from magflow.errors import MagflowError

MICROVERSION = {"OpenStack-API-Version": "container-infra 1.9"}
"""Node groups came with this microversion (Magnum, rest_api_version_history.rst)."""

HALF_DELETED = "master_count"
HALF_DELETED_SECONDS = 15.0
"""While a cluster is deleted, its row outlives its node groups for a moment, and every list of clusters is answered
with 400 "Invalid input for field/attribute master_count" (Magnum 23.0.0, seen in the sandbox)."""


@dataclass(frozen=True)
class Held:
    """A cluster or a node group as Magnum holds it."""

    id: str
    name: str
    status: str
    reason: str = ""
    stack_id: str = ""
    cluster_id: str = ""
    template_id: str = ""


class _HalfDeleted(MagflowError):
    """Asking again helps."""


def clusters(connection: Connection) -> list[Held]:
    """Every cluster that the project may see.

    Raises:
        MagflowError: with Magnum's own words.
    """
    return [_held(item) for item in _listed(connection, "/clusters", "clusters")]


def node_groups(connection: Connection, cluster: Held) -> list[Held]:
    """Every node group of a cluster.

    Raises:
        MagflowError: with Magnum's own words.
    """
    path = f"/clusters/{cluster.id}/nodegroups"
    return [_held(item | {"cluster_id": cluster.id}) for item in _listed(connection, path, "nodegroups")]


def template_users(connection: Connection) -> dict[str, dict[str, str]]:
    """The clusters that the project may see, by their template's id: id and name.

    Raises:
        MagflowError: with Magnum's own words.
    """
    users: dict[str, dict[str, str]] = {}
    for cluster in clusters(connection):
        users.setdefault(cluster.template_id, {})[cluster.id] = cluster.name
    return users


def show(connection: Connection, identifier: str) -> dict[str, Any] | None:
    """All that Magnum says of a cluster, or None when it knows none of that id (or unique name).

    Raises:
        MagflowError: with Magnum's own words.
    """
    return _shown(connection, f"/clusters/{identifier}")


def show_node_groups(connection: Connection, identifier: str) -> list[dict[str, Any]]:
    """All that Magnum says of a cluster's node groups; the list itself leaves out reasons and addresses.

    Raises:
        MagflowError: with Magnum's own words.
    """
    path = f"/clusters/{identifier}/nodegroups"
    shown = (_shown(connection, f"{path}/{item['uuid']}") for item in _listed(connection, path, "nodegroups"))
    return [group for group in shown if group]


def _shown(connection: Connection, path: str) -> dict[str, Any] | None:
    with readable("Magnum"):
        answer = connection.container_infrastructure_management.get(path, headers=MICROVERSION)
    if answer.status_code == 404:
        return None
    if answer.status_code >= 400:
        raise MagflowError(f"Magnum answered {answer.status_code}: {answer.text[:300]}", where=path)
    return dict(answer.json())


@tenacity.retry(
    retry=tenacity.retry_if_exception_type(_HalfDeleted),
    stop=tenacity.stop_after_delay(HALF_DELETED_SECONDS),
    wait=tenacity.wait_fixed(1),
    reraise=True,
)
def _listed(connection: Connection, path: str, key: str) -> list[dict[str, Any]]:
    with readable("Magnum"):
        answer = connection.container_infrastructure_management.get(path, headers=MICROVERSION)
    if answer.status_code >= 400:
        kind = _HalfDeleted if answer.status_code == 400 and HALF_DELETED in answer.text else MagflowError
        raise kind(f"Magnum answered {answer.status_code}: {answer.text[:300]}", where=path)
    return list(answer.json()[key])


def _held(item: dict[str, Any]) -> Held:
    return Held(
        id=item["uuid"],
        name=item["name"],
        status=item.get("status") or "UNKNOWN",
        reason=item.get("status_reason") or "",
        stack_id=item.get("stack_id") or "",
        cluster_id=item.get("cluster_id") or "",
        template_id=item.get("cluster_template_id") or "",
    )
