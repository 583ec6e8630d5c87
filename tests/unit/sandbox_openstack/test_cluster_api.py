"""The states that are written, read as the Magnum driver reads them."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from magflow_sandbox.clusters import cluster_api as capi

CLOCK = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
LATER = CLOCK + datetime.timedelta(minutes=1)


def obj(replicas: int | None = None, **metadata: Any) -> capi.Object:
    spec = {"version": "v1.36.3"} if replicas is None else {"version": "v1.36.3", "replicas": replicas}
    return {"metadata": {"name": "a", "namespace": "n", "generation": 2, **metadata}, "spec": spec}


def true(status: capi.Object) -> set[str]:
    return {item["type"] for item in status["conditions"] if item["status"] == "True"}


def control_plane_is_complete(status: capi.Object, wanted: int) -> bool:
    """What driver.py of magnum-capi-helm 1.4.0 asks for."""
    conditions = {"MachinesReady", "Ready", "EtcdClusterHealthy", "ControlPlaneComponentsHealthy"}
    counts = {wanted, status["replicas"], status["updatedReplicas"], status["readyReplicas"]}
    return conditions <= true(status) and len(counts) == 1


@pytest.mark.parametrize(
    ("machines", "ready", "phase"),
    [
        (0, 0, "ScalingUp"),
        (2, 1, "ScalingUp"),
        (2, 2, "Running"),
        (3, 3, "ScalingDown"),
        (3, 2, "ScalingDown"),
    ],
)
def test_a_group_of_two_runs_only_when_two_nodes_are_ready(machines: int, ready: int, phase: str) -> None:
    status = capi.deployment_status(obj(2), machines, ready)
    assert status["phase"] == phase
    assert (true(status) == {"Ready", "Available"}) == (phase == "Running")


def test_an_empty_group_runs_when_nothing_is_left() -> None:
    assert capi.deployment_status(obj(0), 0, 0)["phase"] == "Running"
    assert capi.deployment_status(obj(0), 1, 1)["phase"] == "ScalingDown"


@pytest.mark.parametrize(("machines", "ready", "phase"), [(3, 2, "Running"), (3, 3, None), (2, 1, "ScalingUp")])
def test_while_machines_are_replaced_the_phase_is_cluster_apis(machines: int, ready: int, phase: str | None) -> None:
    status = capi.deployment_status(obj(2), machines, ready, old=1)
    assert (status["phase"], status["updatedReplicas"]) == (phase, machines - 1)


def test_a_control_plane_with_old_machines_is_not_complete() -> None:
    status = capi.control_plane_status(obj(1), 1, 1, "", old=1)
    assert (status["replicas"], status["updatedReplicas"]) == (1, 0)
    assert "Ready" not in true(status) and "version" not in status


def test_a_group_that_can_never_come_up_says_why() -> None:
    status = capi.deployment_status(obj(1), 0, 0, "no binaries")
    assert status["phase"] == "Failed"
    assert {item["message"] for item in status["conditions"]} == {"no binaries"}


@pytest.mark.parametrize(
    ("machines", "ready", "problem", "complete"),
    [
        (1, 1, "", True),
        (1, 0, "", False),
        (0, 0, "", False),
        (1, 1, "the API server does not answer", False),
        (2, 2, "", False),
    ],
)
def test_control_plane_is_complete_only_when_it_answers_and_its_node_is_ready(
    machines: int, ready: int, problem: str, complete: bool
) -> None:
    status = capi.control_plane_status(obj(1), machines, ready, problem)
    assert control_plane_is_complete(status, wanted=1) is complete
    if problem:
        assert problem in {item["message"] for item in status["conditions"] if item["status"] == "False"}


def test_cluster_is_ready_only_when_both_parts_are() -> None:
    everything = {"InfrastructureReady", "ControlPlaneReady", "Ready"}
    assert true(capi.cluster_status(obj(), None, None)) == everything
    assert true(capi.cluster_status(obj(), None, "starting")) == {"InfrastructureReady"}
    assert true(capi.cluster_status(obj(), "no network", "no network")) == set()


def test_time_of_a_condition_changes_with_its_status_only() -> None:
    first = capi.conditions([capi.condition("Ready", true=False, message="a")], [], CLOCK)
    second = capi.conditions([capi.condition("Ready", true=False, message="b")], first, LATER)
    third = capi.conditions([capi.condition("Ready", true=True)], second, LATER)
    assert [found[0]["lastTransitionTime"] for found in (first, second, third)] == [
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:05:05Z",
    ]


def test_nothing_is_written_when_nothing_changed() -> None:
    deployment = obj(1)
    said = capi.deployment_status(deployment, 1, 1)
    change = capi.changed(deployment, said, CLOCK)
    assert change is not None
    assert capi.changed({**deployment, "status": change}, said, LATER) is None


def test_a_status_field_that_is_to_be_absent_is_no_change_when_it_is() -> None:
    assert capi.changed({"status": {"ready": True}}, {"ready": True, "failureReason": None}, CLOCK) is None
    assert capi.changed({"status": {"failureReason": "x"}}, {"failureReason": None}, CLOCK) == {"failureReason": None}


def test_automatic_scaling_starts_with_the_minimum() -> None:
    assert capi.wanted_replicas(obj(annotations={capi.MINIMUM: "3"})) == 3
    assert capi.wanted_replicas(obj(0)) == 0


def test_objects_are_put_together_by_cluster() -> None:
    def named(name: str, cluster: str, **labels: str) -> capi.Object:
        metadata = {"name": name, "namespace": "n", "labels": {capi.CLUSTER_LABEL: cluster, **labels}}
        return {"metadata": metadata, "spec": {}}

    listed: dict[str, list[capi.Object]] = {kind: [] for kind in capi.COLLECTIONS}
    listed["Cluster"] = [named("a", "a"), named("b", "b")]
    listed["OpenStackCluster"] = [named("b", "b")]
    listed["Machine"] = [
        named("a-gpu-1", "a", **{capi.GROUP_LABEL: "gpu"}),
        named("a-control-plane-1", "a", **{capi.CONTROL_PLANE_LABEL: ""}),
        named("b-gpu-1", "b", **{capi.GROUP_LABEL: "gpu"}),
    ]
    a, b = capi.views(listed)
    assert (a.name, b.name) == ("a", "b")
    assert a.infrastructure == {} and b.infrastructure["metadata"]["name"] == "b"
    assert [item["metadata"]["name"] for item in a.machines_of("gpu")] == ["a-gpu-1"]
    assert [item["metadata"]["name"] for item in a.machines_of(capi.CONTROL_PLANE)] == ["a-control-plane-1"]


def test_paths() -> None:
    assert capi.path("Cluster") == "/apis/cluster.x-k8s.io/v1beta1/clusters"
    assert capi.path("Manifests", "n", "a") == "/apis/addons.stackhpc.com/v1alpha1/namespaces/n/manifests/a"
