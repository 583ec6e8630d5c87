"""The loop that runs checks: patience, outcomes, and that nothing looked at is never a pass."""

from pathlib import Path

import pytest

from magflow.checks.model import NotApplicable, Problem, Warned, check
from magflow.checks.world import World
from magflow.engine.verify import Clock, Outcome, exit_code, run_checks
from magflow.errors import CannotTell, MagflowError


class Time:
    """A clock that only moves when somebody sleeps."""

    def __init__(self):
        self.at = 0.0
        self.clock = Clock(now=lambda: self.at, sleep=self.sleep)

    def sleep(self, seconds):
        self.at += seconds


@pytest.fixture
def world(sandbox):
    return World(settings=sandbox.settings, kubeconfig=Path("none"))


def one(probe, world, *, within=0.0, patient=True):
    time = Time()
    made = check("it", "it is so", within=within)(probe)
    return run_checks("s", [made], world, patient=patient, clock=time.clock)[0], time


def raising(*outcomes):
    left = list(outcomes)

    def probe(_world):
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        return found

    return probe


@pytest.mark.parametrize(
    ("found", "outcome", "code"),
    [
        ("seen", Outcome.OK, 0),
        (Warned("odd"), Outcome.WARNING, 0),
        (NotApplicable("no GPUs"), Outcome.SKIPPED, 2),
        (Problem("bad"), Outcome.FAILED, 1),
        (MagflowError("refused"), Outcome.FAILED, 1),
        (CannotTell("down"), Outcome.UNKNOWN, 2),
    ],
)
def test_each_outcome(world, found, outcome, code):
    result, _ = one(raising(found), world)
    assert result.outcome is outcome
    assert result.evidence == (found if isinstance(found, str) else str(found))
    assert exit_code([result]) == code


def test_a_patient_check_waits_until_it_is_true(world):
    result, time = one(raising(Problem("not yet"), CannotTell("down"), "now"), world, within=60)
    assert result.outcome is Outcome.OK
    assert 0 < time.at < 60


def test_patience_ends_and_says_how_long(world):
    result, time = one(raising(Problem("not yet")), world, within=60)
    assert result.outcome is Outcome.FAILED
    assert result.evidence.startswith("not yet (waited 5")
    assert time.at <= 60


def test_verify_looks_once(world):
    result, time = one(raising(Problem("not yet"), "now"), world, within=60, patient=False)
    assert result.outcome is Outcome.FAILED
    assert time.at == 0


def test_a_failed_state_ends_the_wait_at_once(world):
    result, time = one(raising(Problem("CREATE_FAILED", final=True), "now"), world, within=60)
    assert result.outcome is Outcome.FAILED
    assert time.at == 0


def test_slow_clouds_get_more_time(world, sandbox):
    cloud = sandbox.settings.cloud.model_copy(update={"time_scale": 3.0})
    world.settings = sandbox.settings.model_copy(update={"cloud": cloud})
    _, time = one(raising(Problem("not yet")), world, within=20)
    assert 50 < time.at <= 60


def test_what_comes_after_a_fatal_failure_is_not_looked_at(world):
    first = check("first", "the cloud is there", fatal=True)(raising(Problem("no")))
    second = check("second", "something in it")(raising(AssertionError("looked at")))
    results = run_checks("s", [first, second], world, clock=Time().clock)
    assert [result.outcome for result in results] == [Outcome.FAILED, Outcome.SKIPPED]
    assert results[1].evidence == "not looked at, since first failed"


def test_no_checks_is_an_error(world):
    with pytest.raises(MagflowError, match="has no checks"):
        run_checks("s", [], world)


def test_results_that_were_all_skipped_are_no_pass():
    assert exit_code([]) == 2
