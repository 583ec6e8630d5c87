"""The real provider before a Magnum whose status comes late, and how a command of ours goes on all the same.

Provider 3.4.0 still fails so with node groups (its issue 2066).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openstack.connection import Connection
from tests.stub_cloud import GONE, StubCloud

from magflow.cloud.connection import connect
from magflow.engine.journal import Journal
from magflow.engine.plan.holdings import NODE_GROUP
from magflow.engine.stack.recovery import Recovery
from magflow.engine.stack.status_race import Riding, Waiter, ride_out
from magflow.engine.terraform import Terraform
from magflow.engine.terraform.provider_errors import StatusRace
from magflow.settings import Cloud

from .conftest import GROUP_STATE, Root, block, group

PATH = "/clusters/c1/nodegroups/g1"
GPU = f"{NODE_GROUP}.gpu"
STATE = {GPU: GROUP_STATE}


@pytest.fixture
def connection(cloud: StubCloud, tmp_path: Path) -> Connection:
    return connect(Cloud(name="stub", clouds_file=cloud.clouds_file(tmp_path)))


@pytest.fixture
def waiter(connection: Connection, tmp_path: Path) -> Waiter:
    journal = Journal(tmp_path / "journal.jsonl")
    return Waiter(connection, patience=60, journal=journal, tell=lambda _words: None, pause=0.1)


@pytest.fixture
def runner(root: Root, tmp_path: Path) -> Callable[..., Terraform]:
    return lambda **options: Terraform(root.program, root.folder, {}, tmp_path / "terraform.log", **options)


def exists(cloud: StubCloud) -> None:
    cloud.statuses = {"/clusters/c1": ["CREATE_COMPLETE"], PATH: ["CREATE_COMPLETE"]}
    kept = ("name", "flavor_id", "image_id", "role", "node_count", "min_node_count", "max_node_count", "project_id")
    cloud.values = {PATH: {key: GROUP_STATE[key] for key in (*kept, "created_at", "updated_at")}}


def test_the_provider_gives_up_on_a_late_status(root: Root, cloud: StubCloud, runner: Callable[..., Terraform]) -> None:
    exists(cloud)
    cloud.after["DELETE", PATH] = ["CREATE_COMPLETE"]
    root.write(group(), STATE)
    with pytest.raises(StatusRace) as found:
        runner().destroy()
    (race,) = found.value.races
    assert (race.kind, race.id, race.seen, race.wanted) == (
        NODE_GROUP,
        "c1/g1",
        "CREATE_COMPLETE",
        "DELETE_COMPLETE",
    )


def test_a_destroy_ends_after_the_404(
    root: Root, cloud: StubCloud, runner: Callable[..., Terraform], waiter: Waiter, tmp_path: Path
) -> None:
    exists(cloud)
    cloud.after["DELETE", PATH] = ["CREATE_COMPLETE", "CREATE_COMPLETE", "DELETE_IN_PROGRESS", GONE]
    root.write(group(), STATE)
    terraform = runner()

    class Stack:
        def destroy(self, tell: Callable[[str], None]) -> None:
            terraform.destroy()

    Riding(Stack(), waiter).destroy(lambda _words: None)
    assert terraform.addresses() == []
    first, second = (place for place, request in enumerate(cloud.requests) if request == ("DELETE", PATH))
    assert cloud.requests[first:second].count(("GET", PATH)) == 4
    (event,) = Journal(tmp_path / "journal.jsonl").events()
    assert event["code"] == "TRANSIENT_STATUS_RACE"


def test_an_update_is_planned_again_and_is_done(
    root: Root, cloud: StubCloud, runner: Callable[..., Terraform], waiter: Waiter
) -> None:
    exists(cloud)
    cloud.after["POST", PATH] = ["CREATE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]
    root.write(group(node_count=3), STATE)
    terraform = runner()
    assert not terraform.plan().empty
    plans = []

    def again() -> bool:
        plans.append(terraform.plan())
        return not plans[-1].empty

    ride_out(terraform.apply, waiter, again)
    assert [plan.empty for plan in plans] == [True]
    assert cloud.asked("POST") == ["/clusters/c1/actions/resize"]


def test_a_group_that_was_made_under_a_late_status_is_kept(
    root: Root, cloud: StubCloud, runner: Callable[..., Terraform], waiter: Waiter, connection: Connection
) -> None:
    made = "/clusters/c1/nodegroups/made-gpu"
    cloud.statuses = {"/clusters/c1": ["CREATE_COMPLETE"]}
    cloud.values = {"/clusters/c1": {"name": "demo"}, made: {"name": "gpu", "flavor_id": "m1", "max_node_count": 4}}
    cloud.values[made] |= {"node_count": 2, "created_at": GROUP_STATE["created_at"]}
    cloud.values[made] |= {"updated_at": GROUP_STATE["updated_at"]}
    cloud.after["POST", made] = ["", "", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
    root.write(group())
    terraform = runner()
    terraform.plan()

    def again() -> bool:
        recovery = Recovery(terraform, connection, "demo", patience=1, interrupted=False, tell=lambda _words: None)
        assert recovery.settle(terraform.plan())
        return not terraform.plan().empty

    ride_out(terraform.apply, waiter, again)
    assert terraform.addresses() == [GPU]
    assert len(cloud.asked("POST")) == 1
    assert cloud.asked("DELETE") == []


def three() -> str:
    return "".join(
        block(NODE_GROUP, name, name=name, cluster_id="c1", flavor_id="m1", node_count=1) for name in ("a", "b", "c")
    )


@pytest.mark.parametrize(("options", "most"), [({}, 1), ({"parallelism": 3}, 3)])
def test_node_groups_are_made_one_at_a_time(
    root: Root, cloud: StubCloud, runner: Callable[..., Terraform], options: dict[str, int], most: int
) -> None:
    """2i2c-org/infrastructure issue 5455; the control is Terraform without our limit."""
    cloud.statuses = {"/clusters/c1": ["CREATE_COMPLETE"]}
    cloud.slow = 1.0
    root.write(three())
    terraform = runner(**options)
    terraform.plan()
    terraform.apply()
    assert len(cloud.asked("POST")) == 3
    assert cloud.most_at_once == most


def test_a_deletion_by_a_plan_is_done_when_it_is_gone(
    root: Root, cloud: StubCloud, runner: Callable[..., Terraform], waiter: Waiter
) -> None:
    exists(cloud)
    cloud.after["DELETE", PATH] = ["CREATE_COMPLETE", "CREATE_COMPLETE", "DELETE_IN_PROGRESS", GONE]
    root.write("", STATE)
    terraform = runner()
    assert [change.action for change in terraform.plan().changes] == ["delete"]

    def again() -> bool:
        plan = terraform.plan()
        assert plan.empty  # the refresh has seen that it is gone; only applying writes it down
        return bool(plan.drift)

    ride_out(terraform.apply, waiter, again)
    assert cloud.asked("DELETE") == [PATH]
    assert terraform.addresses() == []
