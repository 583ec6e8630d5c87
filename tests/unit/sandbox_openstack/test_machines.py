"""Machines follow what is wanted; told with an API that is a dictionary."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import pytest

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters.machines import Machines
from magflow_sandbox.clusters.nodes import Capacity

CLOCK = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


class FakeApi:
    def __init__(self) -> None:
        self.deleted: list[str] = []
        self.patched: list[tuple[str, Any]] = []
        self._times = itertools.count()

    def create(self, path: str, thing: capi.Object) -> capi.Object:
        stamp = f"2026-01-01T00:00:{next(self._times):02}Z"
        return {**thing, "metadata": {**thing["metadata"], "namespace": "n", "creationTimestamp": stamp}}

    def delete(self, path: str) -> bool:
        self.deleted.append(path.rsplit("/", 1)[1])
        return True

    def patch_if_there(self, path: str, change: capi.Object) -> None:
        self.patched.append((path, change))


def deployment(group: str, replicas: int) -> capi.Object:
    reference = {"kind": "OpenStackMachineTemplate", "name": f"a-{group}"}
    return {
        "kind": "MachineDeployment",
        "metadata": {"name": f"a-{group}", "namespace": "n", "labels": {capi.GROUP_LABEL: group}},
        "spec": {
            "replicas": replicas,
            "template": {"spec": {"version": "v1.36.3", "infrastructureRef": reference}},
        },
    }


@pytest.fixture
def view() -> capi.View:
    reference = {"kind": "OpenStackMachineTemplate", "name": "a-control-plane"}
    control_plane = {
        "metadata": {"name": "a-control-plane", "namespace": "n"},
        "spec": {"version": "v1.36.3", "replicas": 1, "machineTemplate": {"infrastructureRef": reference}},
    }
    templates = {
        f"a-{group}": {"spec": {"template": {"spec": {"flavor": f"bm.{group}"}}}} for group in ("control-plane", "gpu")
    }
    cluster = {"metadata": {"name": "a", "namespace": "n"}, "spec": {}}
    return capi.View(cluster, {}, control_plane, [deployment("gpu", 2)], templates)


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def machines(api: FakeApi, view: capi.View) -> Machines:
    made = Machines(api)  # type: ignore[arg-type]
    made.scale(view)
    for machine in view.machines:
        machine["status"] = {"addresses": [{"type": "InternalIP", "address": "10.0.0.9"}]}
    return made


def test_missing_machines_are_made_with_names_that_tell_the_group(machines: Machines, view: capi.View) -> None:
    names = sorted(machine["metadata"]["name"].rsplit("-", 1)[0] for machine in view.machines)
    assert names == ["a-control-plane", "a-gpu", "a-gpu"]


def test_nothing_happens_when_all_are_there(machines: Machines, view: capi.View, api: FakeApi) -> None:
    before = list(view.machines)
    machines.scale(view)
    assert view.machines == before and api.deleted == []


def test_the_newest_goes_first(machines: Machines, view: capi.View, api: FakeApi) -> None:
    newest = max(view.machines_of("gpu"), key=lambda item: item["metadata"]["creationTimestamp"])
    view.deployments = [deployment("gpu", 1)]
    machines.scale(view)
    assert api.deleted == [newest["metadata"]["name"]]


def test_machines_of_a_deleted_group_go(machines: Machines, view: capi.View, api: FakeApi) -> None:
    view.deployments = []
    machines.scale(view)
    assert len(api.deleted) == 2
    released: list[str] = []
    machines.finish(view, released.append)
    assert sorted(released) == sorted(api.deleted)
    assert [capi.group_of(machine) for machine in view.machines] == [capi.CONTROL_PLANE]


def test_nodes_have_what_the_flavor_says(machines: Machines, view: capi.View) -> None:
    asked: list[str] = []

    def capacity(flavor: str) -> Capacity:
        asked.append(flavor)
        return Capacity(cpus=64, memory=512, gpus=4 if flavor == "bm.gpu" else 0)

    found = machines.nodes(view, capacity)
    assert sorted(asked) == ["bm.control-plane", "bm.gpu"]
    assert {(node.group, node.capacity.gpus, node.control_plane) for node in found} == {
        ("gpu", 4, False),
        (capi.CONTROL_PLANE, 0, True),
    }
    assert all(node.provider_id.startswith("openstack:///") for node in found)


def test_a_machine_runs_only_while_its_node_is_ready(machines: Machines, view: capi.View, api: FakeApi) -> None:
    up = view.machines[0]["metadata"]["name"]
    machines.report(view, {up}, CLOCK)
    phases = {path.split("/")[-2]: change["status"]["phase"] for path, change in api.patched}
    assert phases.pop(up) == "Running"
    assert set(phases.values()) == {"Provisioned"}
    refs = [change["status"]["nodeRef"] for path, change in api.patched if path.split("/")[-2] != up]
    assert refs == [None, None]


def test_long_names_stay_within_a_labels_length(api: FakeApi, view: capi.View) -> None:
    view.deployments = [deployment("g" * 60, 1)]
    Machines(api).scale(view)  # type: ignore[arg-type]
    assert max(len(machine["metadata"]["name"]) for machine in view.machines) <= 63
