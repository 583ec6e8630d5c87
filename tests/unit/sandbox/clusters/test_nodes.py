"""Fake nodes: what is created, corrected and deleted."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest

from magflow_sandbox.clusters import nodes, standalone
from magflow_sandbox.clusters.api import Api, ApiError
from magflow_sandbox.clusters.nodes import Capacity, Node
from magflow_sandbox.errors import SandboxError


class FakeApi:
    """Nodes and pods in a dictionary; keeps what was asked for."""

    def __init__(self, *found: dict[str, Any]) -> None:
        self.nodes = {item["metadata"]["name"]: item for item in found}
        self.done: list[tuple[str, str]] = []

    def all(self, path: str, **_: str) -> list[dict[str, Any]]:
        return list(self.nodes.values()) if path.endswith("/nodes") else [pod("p", "a"), pod("q", "b")]

    def create(self, path: str, thing: dict[str, Any]) -> None:
        self.done.append(("create", thing["metadata"]["name"]))
        if thing["metadata"]["name"] == "taken":
            raise ApiError(409, "there")

    def patch(self, path: str, change: dict[str, Any], kind: str) -> None:
        self.done.append(("patch", path.removeprefix("/api/v1/nodes/")))

    def delete(self, path: str, **_: Any) -> None:
        self.done.append(("delete", path.rpartition("/")[2]))


def pod(name: str, node: str) -> dict[str, Any]:
    return {"metadata": {"namespace": "default", "name": name}, "spec": {"nodeName": node}}


def node(name: str = "a", gpus: int = 0) -> Node:
    return Node("gpu", name, "10.0.0.20", Capacity(64, 512, gpus))


def sync(api: FakeApi, *wanted: Node) -> bool:
    return nodes.sync(cast(Api, api), wanted)


def test_a_missing_node_is_created_with_group_and_gpus() -> None:
    api = FakeApi()
    assert sync(api, node(gpus=4))
    assert api.done == [("create", "a")]
    made = node(gpus=4).manifest()
    assert made["metadata"]["labels"][nodes.GROUP_LABEL] == "gpu"
    assert made["status"]["allocatable"]["nvidia.com/gpu"] == "4"
    assert made["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}


def test_one_that_is_as_wanted_is_left_alone() -> None:
    api = FakeApi(node().manifest())
    assert not sync(api, node())
    assert api.done == []


def test_foreign_labels_and_nodes_stay() -> None:
    mine = node().manifest()
    mine["metadata"]["labels"] |= {"role": "ingress", "kubernetes.io/os": "other"}
    foreign = {"metadata": {"name": "real", "annotations": {}}}
    api = FakeApi(mine, foreign)
    assert not sync(api, node())


def test_a_changed_capacity_is_corrected() -> None:
    api = FakeApi(node().manifest())
    assert sync(api, node(gpus=2))
    assert api.done == [("patch", "a/status")]


def test_a_surplus_node_goes_with_its_pods() -> None:
    api = FakeApi(node().manifest())
    assert sync(api)
    assert api.done == [("delete", "a"), ("delete", "p")]


def test_one_that_somebody_else_made_meanwhile_is_no_error() -> None:
    assert sync(FakeApi(), node("taken"))


def test_groups_of_the_command_line() -> None:
    assert standalone.parse_groups("default-worker=2,gpu=1:4") == {"default-worker": (2, 0), "gpu": (1, 4)}
    names = [item.name for item in standalone.wanted_nodes("c", {"gpu": (2, 4)})]
    assert names == ["c-control-plane-0", "c-gpu-0", "c-gpu-1"]
    with pytest.raises(SandboxError):
        standalone.parse_groups("gpu")


def unwell(kubelet: str | None) -> Node:
    return dataclasses.replace(node(), kubelet=kubelet)


def test_a_node_that_is_not_well_is_taken_from_kwok_and_says_so() -> None:
    api = FakeApi(node().manifest())
    assert sync(api, unwell("not-ready"))
    # the annotation, and the condition
    assert api.done == [("patch", "a"), ("patch", "a/status")]
    assert unwell("dead").manifest()["metadata"]["annotations"] == {
        "kwok.x-k8s.io/node": "fake",
        "sandbox.magflow.io/kubelet": "dead",
    }


def test_it_is_said_once() -> None:
    said = unwell("dead").manifest()
    said["status"]["conditions"] = [{"type": "Ready", **nodes.CONDITIONS["dead"]}]
    api = FakeApi(said)
    assert not sync(api, unwell("dead")) and api.done == []


def test_kwok_gets_it_back() -> None:
    api = FakeApi(unwell("dead").manifest())
    assert sync(api, unwell(None))
    assert api.done == [("patch", "a")]
