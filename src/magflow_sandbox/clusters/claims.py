"""Volumes for PersistentVolumeClaims, as the Cinder CSI driver makes them: a real volume in Cinder, a bound claim.

Names, description and metadata are those of cloud-provider-openstack's driver (pkg/csi/cinder) and of its provisioner
with `--extra-create-metadata`. As upstream, the volumes of claims that nobody deleted outlive their cluster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from typing import Any

from openstack.connection import Connection

from magflow_sandbox.clusters.api import Api, Object

DRIVER = "cinder.csi.openstack.org"
CLUSTER = f"{DRIVER}/cluster"
CLAIM = "csi.storage.k8s.io/pvc"
SELECTED = "volume.kubernetes.io/selected-node"
UNITS = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class Claims:
    """The claims of one cluster.

    Args:
        cluster: its name, which marks the volumes.
        admin: connects as the administrator: a volume without a volume host never becomes available by itself.
    """

    def __init__(self, cluster: str, admin: Callable[[], Connection]) -> None:
        self.cluster, self.admin = cluster, admin

    def sync(self, kube: Api, cloud: Connection) -> bool:
        """Provision what is claimed, delete what is released. Returns whether anything was done.

        Args:
            kube: the cluster's own API.
            cloud: connection by the cluster's credential.
        """
        cinder: Any = cloud.block_storage
        pending = [claim for claim in kube.all("/api/v1/persistentvolumeclaims") if _pending(claim)]
        classes = self._classes(kube) if pending else {}
        done = False
        for claim in pending:
            kind = classes.get(claim["spec"].get("storageClassName") or "")
            if kind is None or (_waits(kind) and SELECTED not in claim["metadata"].get("annotations", {})):
                continue
            self._provision(kube, cinder, claim, kind)
            done = True
        for volume in kube.all("/api/v1/persistentvolumes"):
            if _released(volume):
                found = cinder.find_volume(volume["spec"]["csi"]["volumeHandle"])
                if found is not None:
                    cinder.delete_volume(found)
                kube.delete(f"/api/v1/persistentvolumes/{volume['metadata']['name']}")
                done = True
        return done

    def leave(self, cloud: Connection) -> None:
        """See to it that the cluster leaves a volume: one whose claim was never deleted."""
        cinder: Any = cloud.block_storage
        if not any(volume.metadata.get(CLUSTER) == self.cluster for volume in cinder.volumes()):
            name = "pvc-00000000-0000-4000-8000-000000000000"
            self._volume(cinder, name, 1, None, {"name": "data", "namespace": "default"})

    # -- inside

    def _classes(self, kube: Api) -> dict[str, Object]:
        found = kube.all("/apis/storage.k8s.io/v1/storageclasses")
        return {item["metadata"]["name"]: item for item in found if item["provisioner"] == DRIVER}

    def _provision(self, kube: Api, cinder: Any, claim: Object, kind: Object) -> None:
        metadata, spec = claim["metadata"], claim["spec"]
        name = f"pvc-{metadata['uid']}"
        size = gibibytes(spec["resources"]["requests"]["storage"])
        found: Any = next(iter(cinder.volumes(name=name)), None)
        if found is None:
            marks = {"name": metadata["name"], "namespace": metadata["namespace"]}
            found = self._volume(cinder, name, size, kind.get("parameters", {}).get("type"), marks)
        volume = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": DRIVER}},
            "spec": {
                "accessModes": spec["accessModes"],
                "capacity": {"storage": f"{size}Gi"},
                "claimRef": {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "name": metadata["name"],
                    "namespace": metadata["namespace"],
                    "uid": metadata["uid"],
                },
                "csi": {"driver": DRIVER, "fsType": "ext4", "volumeHandle": found.id},
                "persistentVolumeReclaimPolicy": kind.get("reclaimPolicy", "Delete"),
                "storageClassName": kind["metadata"]["name"],
                "volumeMode": spec.get("volumeMode", "Filesystem"),
            },
        }
        if kube.get(f"/api/v1/persistentvolumes/{name}") is None:
            kube.create("/api/v1/persistentvolumes", volume)

    def _volume(self, cinder: Any, name: str, size: int, kind: str | None, claim: dict[str, str]) -> Any:
        made = cinder.create_volume(
            name=name,
            size=size,
            description="Created by OpenStack Cinder CSI driver",
            volume_type=kind,
            metadata={
                CLUSTER: self.cluster,
                f"{CLAIM}/name": claim["name"],
                f"{CLAIM}/namespace": claim["namespace"],
                "csi.storage.k8s.io/pv/name": name,
            },
        )
        with closing(self.admin()) as admin:
            block_storage: Any = admin.block_storage
            block_storage.reset_volume_status(made.id, "available")
        return made


def gibibytes(quantity: str) -> int:
    """A quantity of Kubernetes in whole GiB, as Cinder wants it."""
    number = quantity.rstrip("KMGTik")
    return max(1, math.ceil(float(number) * UNITS[quantity[len(number) :]] / 2**30))


def _pending(claim: Object) -> bool:
    going = "deletionTimestamp" in claim["metadata"]
    return not going and claim.get("status", {}).get("phase") == "Pending" and not claim["spec"].get("volumeName")


def _waits(kind: Object) -> bool:
    return bool(kind.get("volumeBindingMode") == "WaitForFirstConsumer")


def _released(volume: Object) -> bool:
    spec = volume["spec"]
    if spec.get("csi", {}).get("driver") != DRIVER or spec.get("persistentVolumeReclaimPolicy") != "Delete":
        return False
    return bool(volume.get("status", {}).get("phase") == "Released")
