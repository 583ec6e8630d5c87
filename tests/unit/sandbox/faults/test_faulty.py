"""What the faults mean for one cluster: which of its machines, and only until it was ready."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters.faulty import Faulty
from magflow_sandbox.faults.model import (
    CreateFailed,
    DeleteBlocked,
    Fault,
    LeaveBehind,
    MachineFailed,
    NodeNotReady,
    Stuck,
)
from magflow_sandbox.faults.reasons import MACHINE_FAILED
from magflow_sandbox.home import Home


@pytest.fixture
def faulty(tmp_path: Path) -> Faulty:
    return Faulty(Home(tmp_path / "home").create(), "train-abcdefghijkl")


def ask(faulty: Faulty, *faults: Fault) -> Faulty:
    for fault in faults:
        faulty.store.set(fault)
    faulty.look()
    return faulty


def machine(group: str, name: str, *, node: bool = False) -> capi.Object:
    labels = {capi.CONTROL_PLANE_LABEL: ""} if group == capi.CONTROL_PLANE else {capi.GROUP_LABEL: group}
    status: dict[str, Any] = {"nodeRef": {"name": name}} if node else {}
    metadata = {"name": name, "labels": labels, "creationTimestamp": f"2026-01-01T00:00:0{name[-1]}Z"}
    return {"kind": "Machine", "metadata": metadata, "status": status}


def view(*machines: capi.Object, ready: bool = False) -> capi.View:
    return capi.View({"metadata": {"name": "a"}, "status": {"controlPlaneReady": ready}}, machines=list(machines))


TWO_GROUPS = (machine("gpu", "gpu-2"), machine("gpu", "gpu-1"), machine("cpu", "cpu-1"))


def test_without_faults_nothing_is_wrong(faulty: Faulty) -> None:
    ask(faulty, Stuck(cluster="other"), NodeNotReady(cluster="other"), DeleteBlocked(cluster="other"))
    assert faulty.stuck(view()) is None
    assert faulty.bad_nodes(view(*TWO_GROUPS)) == {} == faulty.failed_machines(view(*TWO_GROUPS))
    assert faulty.blocked() is None and faulty.left() == {}


def test_a_cluster_is_stuck_until_it_was_ready_once(faulty: Faulty) -> None:
    ask(faulty, Stuck(at="nodes"))
    assert faulty.stuck(view()) == "nodes"
    assert faulty.stuck(view(ready=True)) is None


def test_a_cluster_that_failed_gets_no_api_server(faulty: Faulty) -> None:
    assert ask(faulty, CreateFailed()).stuck(view()) == "api"


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        (NodeNotReady(), {"gpu-1", "gpu-2", "cpu-1"}),
        (NodeNotReady(group="gpu"), {"gpu-1", "gpu-2"}),
        (NodeNotReady(group="gpu", count=1), {"gpu-1"}),
        (NodeNotReady(group="g*", count=9), {"gpu-1", "gpu-2"}),
        (NodeNotReady(count=1), {"gpu-1", "cpu-1"}),
        (NodeNotReady(group="none"), set()),
    ],
)
def test_the_oldest_nodes_of_a_group_are_meant(faulty: Faulty, fault: NodeNotReady, names: set[str]) -> None:
    assert set(ask(faulty, fault).bad_nodes(view(*TWO_GROUPS))) == names


def test_a_machine_that_was_a_node_does_not_fail(faulty: Faulty) -> None:
    ask(faulty, MachineFailed(group="gpu", reason="quota"))
    found = faulty.failed_machines(view(machine("gpu", "gpu-1", node=True), machine("gpu", "gpu-2")))
    assert found == {"gpu-2": MACHINE_FAILED["quota"]}


def test_several_kinds_may_be_left(faulty: Faulty) -> None:
    ask(faulty, LeaveBehind(what="port"), LeaveBehind(what="volume"), DeleteBlocked(by="finalizer"))
    assert faulty.left() == {"port": "leave-behind-1", "volume": "leave-behind-2"}
    assert faulty.blocked() == ("delete-blocked-1", "finalizer")


def test_a_cleared_fault_is_gone_at_the_next_look(faulty: Faulty) -> None:
    ask(faulty, DeleteBlocked())
    faulty.store.clear()
    assert faulty.blocked() is not None
    faulty.look()
    assert faulty.blocked() is None


def test_faults_that_do_not_read_stop_nothing(faulty: Faulty) -> None:
    ask(faulty, Stuck())
    faulty.store.path.write_text("{")
    faulty.look()
    assert faulty.stuck(view()) is None


@pytest.mark.parametrize(("reason", "phase"), [("no-valid-host", "Failed"), ("quota", "Provisioning")])
def test_a_failed_machine_says_why(reason: str, phase: str) -> None:
    why = MACHINE_FAILED[reason]
    said = capi.failed_machine_status(machine("gpu", "gpu-1"), why)
    assert said["phase"] == phase
    assert {item["type"]: item["status"] for item in said["conditions"]}["InfrastructureReady"] == "False"
    assert said["conditions"][0]["message"] == why.text
    assert (said["failureMessage"] is not None) is why.fatal
