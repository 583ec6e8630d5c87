"""The ways into the clusters of an environment: a kubeconfig each, fetched from Magnum when it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openstack.connection import Connection

from magflow.cloud import kubeconfig
from magflow.engine.run_folder import RunFolder
from magflow.errors import CannotTell
from magflow.kube.client import Kube, connect
from magflow.private import private_folder


@dataclass(frozen=True)
class _Answered:
    id: str
    name: str
    api_address: str


def file_of(run: RunFolder, first: str, name: str) -> Path:
    """Where the kubeconfig of a cluster lies; the environment's first cluster has the run folder's own.

    Args:
        run: the environment's run folder.
        first: name of the environment's first cluster.
        name: the cluster's name.
    """
    return run.kubeconfig if name == first else private_folder(run.kubeconfigs) / name


def open_cluster(connection: Connection, cluster: dict[str, Any], file: Path) -> Kube:
    """A client of a cluster's API.

    Args:
        connection: an authenticated connection.
        cluster: Magnum's answer.
        file: the kubeconfig; written when it is not there or does not hold any more.

    Raises:
        MagflowError: Magnum gives no certificate.
        CannotTell: the cluster has no address yet.
    """
    address = cluster.get("api_address")
    if not address:
        raise CannotTell("the cluster has no API address yet", where=f"Magnum, cluster '{cluster['name']}'")
    kubeconfig.fetch(connection, _Answered(cluster["uuid"], cluster["name"], address), file)
    return connect(file)
