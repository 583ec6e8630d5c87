"""Machines follow what is wanted; told with an API that is a dictionary."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import pytest

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters.machines import Machines, outdated
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
    view.templates[f"a-{'g' * 60}"] = view.templates["a-gpu"]
    Machines(api).scale(view)  # type: ignore[arg-type]
    assert max(len(machine["metadata"]["name"]) for machine in view.machines) <= 63


# -- machines of another template or version


def renew(view: capi.View, count: int = 2) -> None:
    """The owner of the group gets another template."""
    view.deployments = [deployment("gpu", count)]
    view.deployments[0]["spec"]["template"]["spec"]["infrastructureRef"]["name"] = "a-gpu-new"
    view.templates = {"a-gpu-new": {"spec": {"template": {"spec": {"flavor": "bm.new"}}}}}


def run(view: capi.View, *, but: str = "") -> None:
    """Every machine's node is Ready, except one."""
    for machine in view.machines:
        name = machine["metadata"]["name"]
        machine["status"] = {"nodeRef": None if name == but else {"name": name}}


def test_old_machines_are_replaced_one_by_one_and_the_group_is_never_short(
    machines: Machines, view: capi.View, api: FakeApi
) -> None:
    run(view)
    before = [machine["metadata"]["name"] for machine in view.machines_of("gpu")]
    renew(view)
    sizes = []
    for _ in range(6):
        machines.scale(view)
        machines.finish(view, lambda _: None)
        run(view)
        sizes.append(len(view.machines_of("gpu")))
    assert sizes == [3, 2, 3, 2, 2, 2]
    assert api.deleted == before
    assert not any(outdated(machine, view.deployments[0]) for machine in view.machines_of("gpu"))


def test_an_old_machine_stays_until_the_new_ones_node_is_ready(
    machines: Machines, view: capi.View, api: FakeApi
) -> None:
    run(view)
    renew(view)
    machines.scale(view)
    new = view.machines_of("gpu")[-1]["metadata"]["name"]
    run(view, but=new)
    for _ in range(3):
        machines.scale(view)
    assert api.deleted == [] and len(view.machines_of("gpu")) == 3


def test_an_old_machine_without_a_node_goes_first(machines: Machines, view: capi.View, api: FakeApi) -> None:
    broken = view.machines_of("gpu")[1]["metadata"]["name"]
    run(view, but=broken)
    renew(view)
    machines.scale(view)
    run(view, but=broken)
    machines.scale(view)
    assert api.deleted[0] == broken


def test_a_new_version_replaces_the_control_plane_too(machines: Machines, view: capi.View, api: FakeApi) -> None:
    (old,) = view.machines_of(capi.CONTROL_PLANE)
    run(view)
    view.control_plane["spec"]["version"] = "v1.36.4"
    for _ in range(2):
        machines.scale(view)
        run(view)
    assert api.deleted == [old["metadata"]["name"]]


def test_a_machine_keeps_the_flavor_of_the_template_that_is_gone(machines: Machines, view: capi.View) -> None:
    renew(view)
    machines.scale(view)
    run(view)
    for machine in view.machines:
        machine["status"]["addresses"] = [{"type": "InternalIP", "address": "10.0.0.9"}]
    asked: set[str] = set()

    def capacity(flavor: str) -> Capacity:
        asked.add(flavor)
        return Capacity(cpus=1, memory=1)

    machines.nodes(view, capacity)
    assert asked == {"bm.gpu", "bm.new", "bm.control-plane"}
