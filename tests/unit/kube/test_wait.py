"""Verdicts on live objects, and the loop over them."""

import pytest

from magflow.errors import MagflowError
from magflow.kube import wait
from magflow.kube.wait import Verdict, judge


def live(*conditions, generation=1, observed=None):
    status = {"conditions": [{"type": kind, "status": status, "message": "words"} for kind, status in conditions]}
    if observed is not None:
        status["observedGeneration"] = observed
    return {"metadata": {"generation": generation}, "status": status}


@pytest.mark.parametrize(
    ("obj", "verdict", "words"),
    [
        (None, Verdict.NOT_YET, "is not there"),
        ({"metadata": {}}, Verdict.NOT_YET, "no conditions yet"),
        (live(("Available", "True")), Verdict.MET, "is Available"),
        (live(("Available", "False")), Verdict.NOT_YET, "words"),
        (live(("Available", "True"), generation=2, observed=1), Verdict.NOT_YET, "has not seen the last change"),
        (live(("Running", "False"), ("Failed", "True")), Verdict.NEVER, "failed: words"),
    ],
)
def test_judge(obj, verdict, words):
    look = judge(obj, "Available", "Deployment a/b")
    assert look.verdict is verdict
    assert words in look.message


class Cluster:
    host = "https://cluster"

    def __init__(self, *answers):
        self.answers = list(answers)

    def get(self, *args, **kwargs):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def until(cluster, seconds=5):
    now = [0.0]

    def sleep(pause):
        now[0] += pause

    return wait.until(cluster, "v1", "Job", "x", "a", wished="Done", seconds=seconds, clock=lambda: now[0], sleep=sleep)


def test_until_it_is():
    assert until(Cluster(None, live(("Done", "False")), live(("Done", "True")))) == "Job a/x is Done"


def test_a_failure_ends_the_wait_at_once():
    cluster = Cluster(live(("Failed", "True")), live(("Done", "True")))
    with pytest.raises(MagflowError, match="failed"):
        until(cluster)


def test_time_is_up():
    with pytest.raises(MagflowError, match=r"is not there \(after 5 s\)"):
        until(Cluster(None))
