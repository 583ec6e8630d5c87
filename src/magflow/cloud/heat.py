"""What Heat says of the stack behind a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openstack.exceptions
from openstack.connection import Connection

DEPTH = 3
"""Nested stacks below a cluster's: group of machines, machine (magnum 22, kubecluster.yaml, kubemaster.yaml)."""

KINDS = {
    "OS::Nova::Server": "server",
    "OS::Nova::ServerGroup": "server group",
    "OS::Neutron::Port": "port",
    "OS::Neutron::FloatingIP": "floating IP",
    "OS::Neutron::SecurityGroup": "security group",
    "OS::Neutron::Router": "router",
    "OS::Neutron::Net": "network",
    "OS::Neutron::Subnet": "subnet",
    "OS::Cinder::Volume": "volume",
    "OS::Octavia::LoadBalancer": "load balancer",
}
"""The suite's words for the types of a stack's resources."""


def stacks(connection: Connection) -> Iterator[Any]:
    """Every stack that is not deleted."""
    return (stack for stack in connection.orchestration.stacks() if stack.status != "DELETE_COMPLETE")


def stack(connection: Connection, stack_id: str) -> dict[str, Any] | None:
    """A stack with its resources as plain data; None where the cloud has no Heat or no such stack.

    Returns:
        id, name, status, reason, trustee (the id of the user that Magnum made) and resources: id, name, type, status,
        reason.
    """
    if not stack_id or not connection.has_service("orchestration"):
        return None
    try:
        found = connection.orchestration.get_stack(stack_id, resolve_outputs=False)
        # openstacksdk's own list of resources does not know nested_depth (4.22)
        path, depth = f"/stacks/{found.name}/{found.id}/resources", {"nested_depth": DEPTH}
        resources = connection.orchestration.get(path, params=depth).json().get("resources") or []
    except (openstack.exceptions.ForbiddenException, openstack.exceptions.NotFoundException):
        return None
    return {
        "id": str(found.id),
        "name": str(found.name),
        "status": str(found.status or ""),
        "reason": str(found.status_reason or ""),
        "trustee": str((found.parameters or {}).get("trustee_user_id") or ""),
        "resources": [
            {
                "id": str(item.get("physical_resource_id") or ""),
                "name": str(item.get("resource_name") or ""),
                "type": str(item.get("resource_type") or ""),
                "status": str(item.get("resource_status") or ""),
                "reason": str(item.get("resource_status_reason") or ""),
            }
            for item in resources
        ],
    }


def made(found: dict[str, Any]) -> dict[str, frozenset[str]]:
    """Ids of what a stack made, by kind."""
    ids: dict[str, set[str]] = {}
    for item in found["resources"]:
        kind = KINDS.get(item["type"])
        if kind and item["id"]:
            ids.setdefault(kind, set()).add(item["id"])
    return {kind: frozenset(values) for kind, values in ids.items()}
