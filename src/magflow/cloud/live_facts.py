"""The facts of a cluster as Magnum tells them, for one that Terraform did not make; and the wait until it can tell."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openstack.connection import Connection

from magflow.cloud import magnum
from magflow.cloud.connection import readable
from magflow.cloud.flavors import gpus_of
from magflow.errors import CannotTell, MagflowError
from magflow.facts import Facts

PAUSE = 5.0
"""Seconds between two looks at Magnum, whose own periodic task looks every 10 (magnum.conf)."""


@dataclass
class Patience:
    """How long to wait, and by which clock."""

    seconds: float
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic


def template(connection: Connection, name: str) -> dict[str, Any] | None:
    """The cluster template of that name, or None.

    Raises:
        MagflowError: Magnum's own words, or two templates have the name.
    """
    with readable("Magnum, list of every cluster template"):
        listed = list(connection.container_infrastructure_management.cluster_templates())
    found = [item for item in listed if item.name == name]
    if len(found) > 1:
        raise MagflowError(
            f"{len(found)} cluster templates have the name '{name}'",
            where=", ".join(item.id for item in found),
            hint="remove those that no cluster uses: openstack coe cluster template delete ID",
        )
    return dict(found[0].to_dict(computed=False)) if found else None


def complete(connection: Connection, name: str, patience: Patience) -> dict[str, Any]:
    """Waits until a cluster is made or changed, and returns what Magnum says of it.

    Args:
        connection: an authenticated connection.
        name: the cluster's name or id.
        patience: how long; 0 seconds look once.

    Raises:
        MagflowError: it failed, with Magnum's reason; or there is none.
        CannotTell: it was not done in time.
    """
    found = _until(connection, name, patience, lambda item: item is None or item["status"].endswith("_COMPLETE"))
    if found is None:
        raise MagflowError(f"Magnum has no cluster '{name}'")
    return found


def gone(connection: Connection, name: str, patience: Patience) -> None:
    """Waits until there is no cluster of that name.

    Raises:
        MagflowError: its removal failed, with Magnum's reason.
        CannotTell: it was not done in time.
    """
    _until(connection, name, patience, lambda item: item is None)


def _until(connection: Connection, name: str, patience: Patience, good: Callable[[Any], bool]) -> dict[str, Any] | None:
    end = patience.now() + patience.seconds
    while True:
        found = magnum.show(connection, name)
        if good(found):
            return found
        status = (found or {}).get("status") or "UNKNOWN"
        if status.endswith("_FAILED"):
            raise MagflowError(
                f"cluster '{name}' is {status}: {(found or {}).get('status_reason') or 'Magnum gives no reason'}",
                where=f"Magnum, cluster {(found or {}).get('uuid')}",
                hint="mend the reason; a cluster that was never made whole is removed and made again",
            )
        if patience.now() >= end:
            raise CannotTell(
                f"cluster '{name}' is still {status} after {patience.seconds:.0f} s",
                hint="the same command goes on waiting",
            )
        patience.sleep(PAUSE)


def facts(connection: Connection, cluster: dict[str, Any]) -> Facts:
    """The facts of a cluster that is complete: the same as the stack's output of this name.

    Args:
        connection: an authenticated connection.
        cluster: what Magnum says of it (`complete`).

    Raises:
        MagflowError: a service's own words, or something is missing.
    """
    with readable("Magnum, the cluster's template"):
        made_from = connection.container_infrastructure_management.get_cluster_template(cluster["cluster_template_id"])
    groups = magnum.show_node_groups(connection, cluster["uuid"])
    addresses = {
        "default-master": cluster.get("master_addresses") or [],
        "default-worker": cluster.get("node_addresses") or [],
    }
    whole = {
        "id": cluster["uuid"],
        "name": cluster["name"],
        "api_address": cluster.get("api_address"),
        "kubernetes": cluster.get("coe_version"),
        "template_id": made_from.id,
        "image_id": made_from.image_id,
        "labels_sent": made_from.labels or {},
        "node_groups": {
            group["name"]: {
                "id": group["uuid"],
                "role": group["role"],
                "flavor": group["flavor_id"],
                "gpus": _gpus(connection, group["flavor_id"]),
                "count": group["node_count"],
                "addresses": addresses.get(group["name"], []),
            }
            for group in groups
        },
    }
    network = {
        "external": made_from.external_network_id,
        "fixed": made_from.fixed_network,
        "subnet": made_from.fixed_subnet,
    }
    return Facts.parse(
        {"main": cluster["name"], "clusters": {cluster["name"]: whole}, "network": network},
        where=f"Magnum, cluster '{cluster['name']}'",
    )


def _gpus(connection: Connection, flavor: str) -> int:
    with readable(f"Nova, flavor '{flavor}'"):
        found = connection.compute.find_flavor(flavor, get_extra_specs=True)
    return (gpus_of(found.extra_specs or {}) if found else None) or 0
