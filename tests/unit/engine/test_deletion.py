"""A provider that gives up too early is followed by a look at Magnum; a cluster that is stuck is diagnosed."""

import pytest

from magflow.checks.diagnosis import Cause, Diagnosis, Verdict
from magflow.cloud.magnum import Held
from magflow.engine.stack.deletion import Stuck, Waiter, destroy
from magflow.errors import MagflowError

RACE = (
    "Error waiting for openstack_containerinfra_cluster_v1 1 to become deleted: unexpected state 'CREATE_COMPLETE', "
    "wanted target 'DELETE_COMPLETE'. last error: %!s(<nil>)"
)
TIMEOUT = (
    "timeout while waiting for state to become 'DELETE_COMPLETE' (last state: 'DELETE_IN_PROGRESS', timeout: 30m0s)"
)


class Clock:
    def __init__(self):
        self.now = 0.0

    def sleep(self, seconds):
        self.now += seconds


class Stack:
    def __init__(self, *errors):
        self.errors, self.calls = list(errors), 0

    def destroy(self, _tell):
        self.calls += 1
        if self.errors:
            raise MagflowError(self.errors.pop(0))


def waiter(statuses, clock=None, warn=lambda _finding: None):
    """A Magnum whose cluster has these statuses one after the other, the last for ever; None: it is gone."""
    clock, left = clock or Clock(), list(statuses)

    def look():
        status = left.pop(0) if len(left) > 1 else left[0]
        return [Held("c1", "demo", status)] if status else []

    def why(held):
        verdict = Verdict.DELETE_BLOCKED if held.status.startswith("DELETE") else Verdict.DELETE_NOT_STARTED
        return Diagnosis("demo", "c1", verdict, (Cause("SECURITY_GROUP_IN_USE", "x", 1, ("port p1",), ("look",)),))

    return Waiter(look, why, lambda _words: None, warn=warn, clock=lambda: clock.now, sleep=clock.sleep)


def test_a_status_of_before_is_waited_out_until_magnum_knows_the_cluster_no_more():
    stack = Stack(RACE)
    destroy(stack, waiter(["CREATE_COMPLETE", "CREATE_COMPLETE", "DELETE_IN_PROGRESS", None]), lambda _words: None)
    assert stack.calls == 2


def test_success_is_not_told_before_it_is_gone():
    clock = Clock()
    destroy(Stack(RACE), waiter(["DELETE_IN_PROGRESS"] * 5 + [None], clock), lambda _words: None)
    assert clock.now == pytest.approx(15)


def test_a_deletion_that_does_not_begin_is_told():
    clock = Clock()
    with pytest.raises(Stuck, match="DELETE_NOT_STARTED") as stuck:
        destroy(Stack(RACE), waiter(["CREATE_COMPLETE"], clock), lambda _words: None)
    assert stuck.value.exit_code == 1
    assert 120 < clock.now < 130


@pytest.mark.parametrize("statuses", [["DELETE_IN_PROGRESS"], ["DELETE_IN_PROGRESS", "DELETE_FAILED"]])
def test_a_deletion_that_does_not_end_gives_its_diagnosis(statuses):
    with pytest.raises(Stuck, match=r"DELETE_BLOCKED.*SECURITY_GROUP_IN_USE: port p1") as stuck:
        destroy(Stack(RACE), waiter(statuses), lambda _words: None)
    assert "look" in (stuck.value.hint or "")


def test_after_the_providers_own_time_out_nothing_more_is_waited_for():
    clock = Clock()
    with pytest.raises(Stuck):
        destroy(Stack(TIMEOUT), waiter(["DELETE_IN_PROGRESS"], clock), lambda _words: None)
    assert clock.now < 10


def test_what_holds_a_deletion_up_is_told_once_while_terraform_still_waits():
    clock, told = Clock(), []

    class Slow:
        def destroy(self, tell):
            for _ in range(20):
                clock.now += 10
                tell("Still destroying...")

    destroy(Slow(), waiter(["DELETE_IN_PROGRESS"], clock, told.append), lambda _words: None)
    assert [finding.code for finding in told] == ["DELETE_BLOCKED"]
    assert "port p1" in told[0].message


def test_a_magnum_that_does_not_answer_meanwhile_is_no_failure():
    clock = Clock()

    def look():
        raise MagflowError("503")

    watching = Waiter(look, lambda _held: None, lambda _words: None, clock=lambda: clock.now)
    clock.now = 100
    watching.watch("Still destroying...")


def test_other_failures_are_terraforms_own_words():
    with pytest.raises(MagflowError, match="quota"):
        destroy(Stack("quota"), waiter([None]), lambda _words: None)


def test_a_provider_that_fails_again_and_again_is_not_asked_for_ever():
    stack = Stack(RACE, RACE, RACE, RACE)
    with pytest.raises(MagflowError, match="unexpected state"):
        destroy(stack, waiter([None]), lambda _words: None)
    assert stack.calls == 3
