"""The smoke checks do not believe the status: pods and events have to tell the same."""

import datetime as dt
from types import SimpleNamespace

import pytest

from magflow.checks import smoke
from magflow.checks.model import NotApplicable, Problem

NOW = dt.datetime.now(dt.UTC)


def stamp(hours=0.0):
    return (NOW - dt.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind, status="True", **fields):
    common = {"reason": f"TFJob{kind}", "message": "it is", "lastUpdateTime": stamp(), "lastTransitionTime": stamp()}
    return {"type": kind, "status": status} | common | fields


def done(hours=0.0):
    return [
        condition("Created"),
        condition("Running", "False"),
        condition("Succeeded", lastTransitionTime=stamp(hours)),
    ]


def owned(name, kind="worker", phase="Succeeded", uid="job-uid"):
    return {
        "metadata": {
            "name": name,
            "labels": {"training.kubeflow.org/replica-type": kind},
            "ownerReferences": [{"uid": uid}],
        },
        "status": {"phase": phase},
        "spec": {"clusterIP": "None"},
    }


def deleted(name):
    return {"reason": "SuccessfulDeletePod", "message": f"Deleted pod: {name}"}


def world(sandbox, *, conditions, pods=(), services=(), events=(), claims=None):
    job = {
        "metadata": {"name": "smoke", "namespace": "magflow-smoke", "uid": "job-uid"},
        "status": {
            "conditions": conditions,
            "replicaStatuses": {kind: {"succeeded": count} for kind, count in (claims or {}).items()},
        },
    }
    lists = {"Pod": list(pods), "Service": list(services), "Event": list(events)}
    kube = SimpleNamespace(get=lambda *_: job, list=lambda _version, kind, *_, **__: lists[kind])
    return SimpleNamespace(settings=sandbox.settings, kube=kube)


CLAIMS = {"Chief": 1, "Worker": 2, "PS": 1}
PODS = [owned("smoke-chief-0", "chief"), owned("smoke-worker-0"), owned("smoke-worker-1")]


def test_claims_that_pods_and_events_bear_out(sandbox):
    found = world(sandbox, conditions=done(), pods=PODS, events=[deleted("smoke-ps-0")], claims=CLAIMS)
    assert smoke.pods_are_as_claimed.probe(found) == "chief 1 succeeded; worker 2 succeeded; ps 0 succeeded, 1 stopped"


def test_a_claim_without_a_pod_or_an_event_is_a_problem(sandbox):
    found = world(sandbox, conditions=done(), pods=PODS[:2], events=[deleted("smoke-ps-0")], claims=CLAIMS)
    with pytest.raises(Problem, match="worker: 2 of 2 claimed, 1 pods succeeded, 0 were stopped"):
        smoke.pods_are_as_claimed.probe(found)


def test_a_failed_pod_is_a_problem_whatever_the_status_claims(sandbox):
    pods = [*PODS[:2], owned("smoke-worker-1", phase="Failed")]
    found = world(sandbox, conditions=done(), pods=pods, events=[deleted("smoke-ps-0")], claims=CLAIMS)
    with pytest.raises(Problem, match="worker"):
        smoke.pods_are_as_claimed.probe(found)


def test_pods_of_a_former_job_of_the_name_do_not_count(sandbox):
    pods = [*PODS[:2], owned("smoke-worker-1", uid="another")]
    found = world(sandbox, conditions=done(), pods=pods, events=[deleted("smoke-ps-0")], claims=CLAIMS)
    with pytest.raises(Problem, match="worker"):
        smoke.pods_are_as_claimed.probe(found)


def test_a_job_whose_events_are_gone_is_believed(sandbox):
    found = world(sandbox, conditions=done(hours=2), pods=PODS, claims=CLAIMS)
    assert "ps 0 succeeded, 1 stopped" in smoke.pods_are_as_claimed.probe(found)
    with pytest.raises(NotApplicable, match="an hour"):
        smoke.events_tell.probe(found)


def test_a_failed_job_ends_the_wait(sandbox):
    found = world(sandbox, conditions=[condition("Created"), condition("Failed", message="worker exited 1")])
    with pytest.raises(Problem, match="worker exited 1") as problem:
        smoke.succeeds.probe(found)
    assert problem.value.final


def test_a_job_without_a_condition_may_still_get_one(sandbox):
    with pytest.raises(Problem, match="without any condition") as problem:
        smoke.succeeds.probe(world(sandbox, conditions=[]))
    assert not problem.value.final


def test_a_condition_with_a_hole_is_told(sandbox):
    holed = [condition("Created"), condition("Running", "False"), condition("Succeeded", message="")]
    with pytest.raises(Problem, match=r"missing: Succeeded\.message"):
        smoke.conditions_are_whole.probe(world(sandbox, conditions=holed))


def test_a_pod_without_its_service_is_told(sandbox):
    found = world(sandbox, conditions=done(), pods=PODS, services=[owned("smoke-chief-0", "chief")])
    with pytest.raises(Problem, match="no service for smoke-worker-0, smoke-worker-1"):
        smoke.services_are_there.probe(found)


def test_no_event_at_all_is_no_pass(sandbox):
    with pytest.raises(Problem, match="no SuccessfulCreatePod event"):
        smoke.events_tell.probe(world(sandbox, conditions=done()))
