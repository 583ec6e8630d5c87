"""A stack is applied behind the guard, and goes on after a late status of Magnum."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from tests.stub_cloud import serve

from magflow.cloud.connection import connect
from magflow.engine.plan import PlanSummary, ResourceChange, guard
from magflow.engine.plan.holdings import NODE_GROUP
from magflow.engine.plan.shown import Plan
from magflow.engine.run_folder import RunFolder
from magflow.engine.stack import apply as apply_stack
from magflow.engine.terraform.provider_errors import Race, StatusRace
from magflow.errors import MagflowError
from magflow.settings import Cloud

GROUP = "/clusters/c1/nodegroups/g1"
RACE = StatusRace([Race("a.gpu", NODE_GROUP, "c1/g1", "CREATE_COMPLETE", "UPDATE_COMPLETE")], "too early")


def changes(*actions):
    made = tuple(ResourceChange(f"a.{action}", NODE_GROUP, "gpu", action, None, ()) for action in actions)
    return PlanSummary(made, (), ())


class Stack:
    """Has these plans one after the other; each apply does as told."""

    def __init__(self, plans, applies):
        self.plans, self.applies, self.applied = list(plans), list(applies), 0

    def init(self, _tell):
        pass

    def plan(self, _tell, allow, _users):
        found = self.plans.pop(0)
        return Plan(found, guard.examine(found, allow))

    def apply(self, _tell, _at_once):
        self.applied += 1
        if error := self.applies.pop(0):
            raise error


@pytest.fixture
def apply(monkeypatch, sandbox, tmp_path):
    """Applies a stack without clusters of its own; gives the answer, the stack and the journal."""
    with serve() as stub:
        stub.statuses[GROUP] = ["CREATE_COMPLETE", "UPDATE_COMPLETE"]
        cloud = connect(Cloud(name="stub", clouds_file=stub.clouds_file(tmp_path)))
        world = SimpleNamespace(settings=sandbox.settings, cloud=cloud)
        run = RunFolder("env", tmp_path).create()

        def act(plans, applies, allow=()):
            stack = Stack(plans, applies)
            monkeypatch.setattr(apply_stack, "open_stack", lambda *_: stack)
            answer = apply_stack.apply_stack("image", run, world, lambda _words: None, allow)
            lines = run.journal.read_text().splitlines() if run.journal.exists() else []
            return answer, stack, [json.loads(line) for line in lines]

        yield act


def test_a_late_status_is_waited_out_and_planned_again(apply):
    answer, stack, (event,) = apply([changes("update"), changes()], [RACE])
    assert answer == (1, "1 updated")
    assert stack.applied == 1
    assert (event["code"], event["status"]) == ("TRANSIENT_STATUS_RACE", "UPDATE_COMPLETE")


def test_what_is_left_is_applied(apply):
    answer, stack, _ = apply([changes("update", "create"), changes("create")], [RACE, None])
    assert answer == (2, "1 created, 1 updated")
    assert stack.applied == 2


def test_the_guard_stops_it_before_anything_is_applied(apply):
    with pytest.raises(MagflowError) as error:
        apply([changes("delete")], [])
    assert error.value.code == "PLAN_DELETES_NODEGROUP"


def test_what_is_let_through_is_told_and_journaled(apply):
    answer, _, (event,) = apply([changes("delete")], [None], allow=["a.delete"])
    assert answer == (1, "1 deleted; warned of PLAN_DELETES_NODEGROUP")
    assert (event["event"], event["addresses"]) == ("plan_allowed", ["a.delete"])


def test_a_new_plan_after_a_late_status_is_guarded_too(apply):
    with pytest.raises(MagflowError) as error:
        apply([changes("update"), changes("delete")], [RACE])
    assert error.value.code == "PLAN_DELETES_NODEGROUP"
