"""The Cluster API objects of one cluster on a management cluster, as plain data. Nothing is written there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from magflow.kube.client import Kube
from magflow.kube.errors import ApiError, UnknownKind
from magflow.kube.objects import Object

CLUSTER_LABEL = "cluster.x-k8s.io/cluster-name"

KINDS = (
    ("cluster.x-k8s.io", "Cluster"),
    ("infrastructure.cluster.x-k8s.io", "OpenStackCluster"),
    ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane"),
    ("cluster.x-k8s.io", "MachineDeployment"),
    ("cluster.x-k8s.io", "Machine"),
    ("infrastructure.cluster.x-k8s.io", "OpenStackMachine"),
)
"""API group and kind; the served version is asked for."""


def objects(management: Kube, name: str) -> list[dict[str, Any]]:
    """Every object of the cluster.

    Args:
        management: the management cluster.
        name: the Cluster's name: Magnum's stack_id.

    Returns:
        kind, name, namespace, phase, message (failureMessage), deleting (time), finalizers, wanted, ready, says_ready,
        conditions (type, status, reason, message). Empty when there is no such Cluster, whose objects another may own.

    Raises:
        CannotTell: the management cluster does not answer.
    """
    versions = {group: _version(management, group) for group in dict.fromkeys(group for group, _ in KINDS)}
    core = versions["cluster.x-k8s.io"]
    if core is None:
        return []
    found = management.list(core, "Cluster", fields=f"metadata.name={name}")
    told = [_plain(item) for item in found]
    for cluster in found:
        space = cluster["metadata"]["namespace"]
        for group, kind in KINDS[1:]:
            told += [_plain(item) for item in _listed(management, versions[group], kind, space, name)]
    return told


def _listed(management: Kube, version: str | None, kind: str, namespace: str, name: str) -> Iterator[Object]:
    if version is None:
        return
    try:
        yield from management.each(version, kind, namespace, labels=f"{CLUSTER_LABEL}={name}")
    except (ApiError, UnknownKind) as error:
        if isinstance(error, ApiError) and error.status not in {403, 404}:
            raise


def _version(management: Kube, group: str) -> str | None:
    try:
        return str(management.call("GET", f"/apis/{group}")["preferredVersion"]["groupVersion"])
    except ApiError as error:
        if error.status == 404:
            return None
        raise


def _plain(item: Object) -> dict[str, Any]:
    metadata, status = item["metadata"], item.get("status") or {}
    conditions = status.get("conditions") or (status.get("v1beta2") or {}).get("conditions") or []
    return {
        "kind": item["kind"],
        "name": metadata["name"],
        "namespace": metadata["namespace"],
        "phase": status.get("phase") or "",
        "message": status.get("failureMessage") or "",
        "deleting": metadata.get("deletionTimestamp") or "",
        "finalizers": metadata.get("finalizers") or [],
        "wanted": (item.get("spec") or {}).get("replicas"),
        "ready": status.get("readyReplicas"),
        "says_ready": status.get("ready"),
        "conditions": [
            {key: str(entry.get(key) or "") for key in ("type", "status", "reason", "message")} for entry in conditions
        ],
    }
