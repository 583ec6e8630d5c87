"""The provider looked too early: Magnum is asked until it has settled, over HTTP and with the real client."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stub_cloud import GONE, serve

from magflow.cloud.connection import connect
from magflow.engine.journal import Journal
from magflow.engine.stack import status_race
from magflow.engine.terraform.events import Diagnostic, Event, error
from magflow.engine.terraform.provider_errors import StatusRace
from magflow.engine.verify import Clock
from magflow.errors import MagflowError
from magflow.settings import Cloud

CLUSTER, GROUP = "/clusters/c1", "/clusters/c1/nodegroups/g1"
# what the provider said in its issues 1928, 1939 and 2066
DELETED = (
    "Error waiting for openstack_containerinfra_cluster_v1 c1 to become deleted: unexpected state 'CREATE_COMPLETE', "
    "wanted target 'DELETE_COMPLETE'. last error: %!s(<nil>)"
)
UPDATED = DELETED.replace("become deleted", "become updated").replace("DELETE_COMPLETE", "UPDATE_COMPLETE")
UPGRADED = UPDATED.replace("become updated", "upgrade")
GROUP_DELETED = DELETED.replace("cluster_v1 c1", "nodegroup_v1 c1/g1")
GROUP_UPDATED = UPDATED.replace("cluster_v1 c1", "node_group_v1 c1/g1")
GROUP_MADE = (
    "Error waiting for openstack_containerinfra_nodegroup_v1 g1 to become ready: unexpected state '', "
    "wanted target 'CREATE_COMPLETE'. last error: %!s(<nil>)"
)
BUSY = (
    "Error creating openstack_containerinfra_nodegroup_v1: Bad request with: [POST http://m/v1/clusters/c1/nodegroups]"
    ', error message: {"errors": [{"detail": "Cluster demo already has an operation in progress."}]}'
)


def race(text):
    found = error("destroy", [Event("diagnostic", "", diagnostic=Diagnostic("error", text, "", "a.b"))], 1, Path("log"))
    assert isinstance(found, StatusRace)
    return found


class Time:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now = 0.0
        self.clock = Clock(lambda: self.now, self.sleep)

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def cloud():
    with serve() as stub:
        yield stub


@pytest.fixture
def setting(cloud, tmp_path):
    """Runs a command that races as often as told, against the stub."""

    class Setting:
        def __init__(self):
            self.time = Time()
            self.journal = Journal(tmp_path / "journal.jsonl")
            self.runs = 0
            connection = connect(Cloud(name="stub", clouds_file=cloud.clouds_file(tmp_path)))
            self.waiter = status_race.Waiter(
                connection, patience=60, journal=self.journal, tell=lambda _: None, clock=self.time.clock
            )

        def run(self, text, times=1, again=lambda: True):
            def act():
                self.runs += 1
                if self.runs <= times:
                    raise race(text)

            status_race.ride_out(act, self.waiter, again)

    return Setting()


def test_a_destroy_goes_on_after_the_404_and_not_before(cloud, setting):
    cloud.statuses[CLUSTER] = ["CREATE_COMPLETE", "CREATE_COMPLETE", "DELETE_IN_PROGRESS", GONE]
    setting.run(DELETED)
    assert setting.runs == 2
    assert cloud.asked("GET").count(CLUSTER) == 4
    (event,) = setting.journal.events()
    assert event["code"] == "TRANSIENT_STATUS_RACE"
    assert (event["address"], event["seen"], event["status"]) == ("a.b", "CREATE_COMPLETE", "DELETE_COMPLETE")


def test_a_deletion_that_never_begins_is_told(cloud, setting):
    cloud.statuses[CLUSTER] = ["CREATE_COMPLETE"]
    with pytest.raises(MagflowError, match="is CREATE_COMPLETE, as before Magnum was asked") as found:
        setting.run(DELETED)
    assert found.value.code == "DELETE_NOT_STARTED"
    assert found.value.exit_code == 1
    assert setting.runs == 1
    assert setting.time.now >= 60


def test_a_deletion_that_takes_too_long_is_another_thing(cloud, setting):
    cloud.statuses[CLUSTER] = ["DELETE_IN_PROGRESS"]
    with pytest.raises(MagflowError, match="still DELETE_IN_PROGRESS") as found:
        setting.run(DELETED)
    assert found.value.code == "DELETE_TOO_LONG"


def test_a_deletion_that_fails_ends_the_wait_at_once(cloud, setting):
    cloud.statuses[CLUSTER] = ["CREATE_COMPLETE", "DELETE_FAILED"]
    with pytest.raises(MagflowError, match="DELETE_FAILED: because") as found:
        setting.run(DELETED)
    assert found.value.code == "DELETE_FAILED"
    assert setting.time.now < 10


@pytest.mark.parametrize(
    ("text", "path", "statuses"),
    [
        (UPDATED, CLUSTER, ["CREATE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]),
        (UPGRADED, CLUSTER, ["CREATE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]),
        (GROUP_UPDATED, GROUP, ["CREATE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]),
        (GROUP_DELETED, GROUP, ["CREATE_COMPLETE", "DELETE_IN_PROGRESS", GONE]),
        (GROUP_MADE, GROUP, ["CREATE_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"]),
        (BUSY, CLUSTER, ["UPDATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]),
    ],
    ids=["update", "upgrade", "group update", "group delete", "group create", "busy"],
)
def test_each_kind_of_race_is_waited_out(cloud, setting, text, path, statuses):
    cloud.statuses[CLUSTER] = ["CREATE_COMPLETE"]
    cloud.statuses[path] = list(statuses)
    setting.run(text)
    assert setting.runs == 2
    assert cloud.statuses[path] == statuses[-1:]


def test_an_update_that_fails_is_told_with_magnum_s_reason(cloud, setting):
    cloud.statuses[GROUP] = ["CREATE_COMPLETE", "UPDATE_FAILED"]
    with pytest.raises(MagflowError, match="node group c1/g1 is UPDATE_FAILED: because"):
        setting.run(GROUP_UPDATED)


def test_magnum_may_stumble_meanwhile(cloud, setting):
    cloud.statuses[CLUSTER] = ["CREATE_COMPLETE", 503, 500, "DELETE_IN_PROGRESS", GONE]
    setting.run(DELETED)
    assert setting.runs == 2


def test_a_refusal_of_magnum_is_no_race(cloud, setting):
    cloud.statuses[CLUSTER] = [403]
    with pytest.raises(MagflowError, match="Magnum answered 403"):
        setting.run(DELETED)


def test_a_new_plan_without_changes_ends_it(cloud, setting):
    cloud.statuses[GROUP] = ["UPDATE_COMPLETE"]
    setting.run(GROUP_UPDATED, again=lambda: False)
    assert setting.runs == 1


def test_what_races_for_ever_is_no_race(cloud, setting):
    cloud.statuses[CLUSTER] = [GONE]
    with pytest.raises(StatusRace):
        setting.run(DELETED, times=99)
    assert setting.runs == status_race.MOST + 1


def test_other_errors_pass_through(setting):
    def act():
        raise MagflowError("quota")

    with pytest.raises(MagflowError, match="quota"):
        status_race.ride_out(act, setting.waiter)


class Stack:
    """Fails as told, then does what it is asked."""

    def __init__(self, *texts):
        self.texts, self.calls = list(texts), 0

    def destroy(self, _tell):
        self.calls += 1
        if self.texts:
            raise race(self.texts.pop(0))


def test_a_node_group_s_race_in_a_destroy_does_not_wait_for_its_cluster(cloud, setting):
    cloud.statuses |= {CLUSTER: ["CREATE_COMPLETE"], GROUP: ["CREATE_COMPLETE", "DELETE_IN_PROGRESS", GONE]}
    stack = Stack(GROUP_DELETED)
    status_race.Riding(stack, setting.waiter).destroy(lambda _: None)
    assert stack.calls == 2


def test_a_cluster_s_race_in_a_destroy_is_left_to_who_diagnoses_it(cloud, setting):
    stack = Stack(DELETED)
    with pytest.raises(MagflowError, match="unexpected state") as found:
        status_race.Riding(stack, setting.waiter).destroy(lambda _: None)
    assert not isinstance(found.value, StatusRace)
    assert [event["code"] for event in setting.journal.events()] == ["TRANSIENT_STATUS_RACE"]
    assert cloud.asked("GET").count(CLUSTER) == 0
