"""Claims and their volumes, told with APIs that are dictionaries."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from magflow_sandbox.clusters.api import Api
from magflow_sandbox.clusters.claims import CLUSTER, DRIVER, SELECTED, Claims, gibibytes


@pytest.mark.parametrize(
    ("quantity", "size"), [("1Gi", 1), ("1500Mi", 2), ("10Gi", 10), ("1Mi", 1), ("1G", 1), ("2T", 1863), ("1.5Gi", 2)]
)
def test_sizes_are_whole_gibibytes_and_never_too_small(quantity: str, size: int) -> None:
    assert gibibytes(quantity) == size


class Kube:
    def __init__(self, claims: list[Any], mode: str = "Immediate", volumes: list[Any] | None = None) -> None:
        kind = {
            "metadata": {"name": "csi-cinder"},
            "provisioner": DRIVER,
            "volumeBindingMode": mode,
            "reclaimPolicy": "Delete",
            "parameters": {"type": "fast"},
        }
        other = {"metadata": {"name": "other"}, "provisioner": "somebody.else"}
        self.lists = {
            "persistentvolumeclaims": claims,
            "storageclasses": [kind, other],
            "persistentvolumes": volumes or [],
        }
        self.created: list[Any] = []
        self.deleted: list[str] = []

    def all(self, path: str) -> list[Any]:
        return self.lists[path.rsplit("/", 1)[1]]

    def get(self, path: str) -> None:
        return None

    def create(self, path: str, thing: Any) -> None:
        self.created.append(thing)

    def delete(self, path: str) -> None:
        self.deleted.append(path.rsplit("/", 1)[1])


class Cinder:
    def __init__(self) -> None:
        self.made: list[Any] = []
        self.gone: list[str] = []
        self.available: list[str] = []

    def volumes(self, **_: Any) -> list[Any]:
        return self.made

    def create_volume(self, **values: Any) -> Any:
        self.made.append(SimpleNamespace(id=f"id-{len(self.made)}", **values))
        return self.made[-1]

    def reset_volume_status(self, volume: str, status: str) -> None:
        self.available.append(f"{volume} {status}")

    def find_volume(self, name: str) -> Any:
        return SimpleNamespace(id=name)

    def delete_volume(self, volume: Any) -> None:
        self.gone.append(volume.id)


class Cloud(nullcontext[Any]):
    def __init__(self) -> None:
        super().__init__()
        self.block_storage = Cinder()

    def close(self) -> None:
        pass


def claim(phase: str = "Pending", kind: str = "csi-cinder", **annotations: str) -> Any:
    metadata = {"name": "data", "namespace": "kubeflow", "uid": "1-2", "annotations": annotations}
    spec = {"storageClassName": kind, "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}}
    return {"metadata": metadata, "spec": spec, "status": {"phase": phase}}


def sync(kube: Kube, cloud: Cloud) -> bool:
    return Claims("train-x", lambda: cast(Any, cloud)).sync(cast(Api, kube), cast(Any, cloud))


def test_a_pending_claim_gets_a_marked_volume_and_is_bound_to_it() -> None:
    kube, cloud = Kube([claim()]), Cloud()
    assert sync(kube, cloud)
    (made,) = cloud.block_storage.made
    assert (made.name, made.size, made.volume_type) == ("pvc-1-2", 5, "fast")
    assert made.metadata[CLUSTER] == "train-x"
    assert made.metadata["csi.storage.k8s.io/pvc/namespace"] == "kubeflow"
    assert cloud.block_storage.available == ["id-0 available"]
    (volume,) = kube.created
    assert volume["spec"]["claimRef"]["uid"] == "1-2" and volume["spec"]["csi"]["volumeHandle"] == "id-0"


@pytest.mark.parametrize(
    ("found", "mode"),
    [
        (claim("Bound"), "Immediate"),
        (claim(kind="other"), "Immediate"),
        (claim(kind="none"), "Immediate"),
        (claim(), "WaitForFirstConsumer"),
    ],
)
def test_what_is_not_ours_or_not_yet_gets_none(found: Any, mode: str) -> None:
    kube, cloud = Kube([found], mode), Cloud()
    assert not sync(kube, cloud)
    assert cloud.block_storage.made == []


def test_one_that_waits_gets_its_volume_when_a_node_is_chosen() -> None:
    kube, cloud = Kube([claim(**{SELECTED: "a-node"})], "WaitForFirstConsumer"), Cloud()
    assert sync(kube, cloud) and len(cloud.block_storage.made) == 1


def volume(phase: str, policy: str, driver: str = DRIVER) -> Any:
    spec = {"csi": {"driver": driver, "volumeHandle": "v"}, "persistentVolumeReclaimPolicy": policy}
    return {"metadata": {"name": "pv"}, "spec": spec, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("found", "deleted"),
    [
        (volume("Released", "Delete"), True),
        (volume("Bound", "Delete"), False),
        (volume("Released", "Retain"), False),
        (volume("Released", "Delete", "somebody.else"), False),
    ],
)
def test_a_released_volume_goes_where_the_class_says_so(found: Any, deleted: bool) -> None:
    kube, cloud = Kube([], volumes=[found]), Cloud()
    assert sync(kube, cloud) is deleted
    assert (cloud.block_storage.gone, kube.deleted) == ((["v"], ["pv"]) if deleted else ([], []))


def test_a_volume_is_left_when_none_is_there() -> None:
    cloud = Cloud()
    claims = Claims("train-x", lambda: cast(Any, cloud))
    claims.leave(cast(Any, cloud))
    claims.leave(cast(Any, cloud))
    assert [item.metadata[CLUSTER] for item in cloud.block_storage.made] == ["train-x"]
