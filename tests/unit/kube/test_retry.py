"""What passes, and for how long it is waited for."""

import pytest

from magflow.errors import MagflowError
from magflow.kube.errors import ApiError, Unauthorized, Unreachable
from magflow.kube.retry import NotYet, Patience, passes


def answer(status, reason="", causes=(), wait=0):
    return ApiError(status, reason, "words", where="here", causes=causes, wait=wait)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (answer(409, "Conflict"), True),
        (answer(409, "Conflict", [{"reason": "FieldManagerConflict"}]), False),
        (answer(429), True),
        (answer(500), True),
        (answer(503), True),
        (answer(400), False),
        (answer(403), False),
        (answer(403, "Forbidden", [{"reason": "NamespaceTerminating"}]), True),
        (answer(404), False),
        (answer(422), False),
        (ApiError(500, "", "failed to create typed patch object (...): .spec.sized: ...", where=""), False),
        (Unreachable("x"), True),
        (NotYet("x"), True),
        (Unauthorized("x"), False),
        (MagflowError("x"), False),
    ],
)
def test_passes(error, expected):
    assert passes(error) is expected


class Clock:
    def __init__(self):
        self.now, self.slept = 0.0, []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def failing(times, error):
    left = [times]

    def attempt():
        if left[0]:
            left[0] -= 1
            raise error
        return "done"

    return attempt


@pytest.fixture
def clock():
    return Clock()


def patience(clock, seconds=60):
    return Patience(seconds, clock=lambda: clock.now, sleep=clock.sleep)


def test_a_passing_error_is_waited_out_with_growing_pauses(clock):
    assert patience(clock).call(failing(4, answer(503))) == "done"
    assert len(clock.slept) == 4
    assert clock.slept[3] > clock.slept[0]


def test_a_rejection_is_never_repeated(clock):
    with pytest.raises(ApiError):
        patience(clock).call(failing(1, answer(422)))
    assert clock.slept == []


def test_the_deadline_ends_it(clock):
    with pytest.raises(ApiError):
        patience(clock, 10).call(failing(10_000, answer(503)))
    assert 10 <= clock.now <= 10.01


def test_the_servers_wish_is_kept(clock):
    patience(clock).call(failing(1, answer(429, wait=7)))
    assert clock.slept == [7]


def test_the_deadline_is_shared(clock):
    shared = patience(clock, 10)
    shared.call(failing(5, answer(503)))
    assert shared.left < 10
