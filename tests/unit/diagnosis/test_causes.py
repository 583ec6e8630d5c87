"""The table of known texts: each entry has a source and a next step, and the nearest cause comes first."""

import pytest

from magflow.checks.diagnosis.reasons import FATAL, SYMPTOMS, from_texts, ranked
from magflow.cloud.evidence import Evidence
from magflow.rules import causes

CLUSTER = {"uuid": "c1", "name": "demo", "stack_id": "demo-abc", "status": "CREATE_FAILED"}


@pytest.mark.parametrize("cause", causes.known(), ids=lambda cause: cause.code)
def test_an_entry_has_words_steps_and_a_source(cause):
    assert cause.title
    assert cause.do
    assert cause.source
    assert not cause.pattern.search(""), "it would fit everything"


def test_codes_are_named_once_and_the_lists_name_no_other():
    codes = [cause.code for cause in causes.known()]
    assert len(set(codes)) == len(codes)
    assert set(codes) >= FATAL | SYMPTOMS


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Quota exceeded for resources: ['floatingip'].", "QUOTA"),
        ("Maximum number of ports exceeded", "QUOTA"),
        ("Requested volume exceeds allowed gigabytes quota", "QUOTA"),
        ("No valid host was found. No valid service subnet for the given port", "NO_VALID_HOST"),
        ("instance state ERROR is unexpected", "SERVER_ERROR"),
        ('but got 409 instead\n{"NeutronError": {"type": "SecurityGroupInUse"}}', "SECURITY_GROUP_IN_USE"),
        ("Unable to complete operation on network 1. There are one or more ports still in use", "NETWORK_IN_USE"),
        ("no images were found with the given image filter: name=ubuntu", "IMAGE"),
        ("No suitable endpoint could be found in the service catalog", "NO_SERVICE"),
        ("User data too large. User data must be no larger than 65535 bytes", "USER_DATA_TOO_LARGE"),
        ("WaitConditionTimeout: resources.master_wait_condition: 0 of 1 received", "TIMEOUT"),
        ("Expected HTTP response code [200] when accessing [GET x], but got 502 instead", "SERVICE_ERROR"),
        ("Failed to create certificates for Cluster: 1f6f", "CERTIFICATE"),
        ("Unable to find keypair default.", "KEYPAIR"),
        ("the fixed network is fine", None),
        ("waiting for control plane machines", "WAITING"),
        ("Waiting on ['InfrastructureReady', 'Ready']", "WAITING"),
        ("default-worker resource not found.", "WAITING"),
        ("image resource not found in the fridge", None),
    ],
)  # fmt: skip
def test_texts_and_what_they_mean(text, code):
    found = causes.of(text)
    assert (found.code if found else None) == code


def judged(**cluster):
    return ranked(from_texts(Evidence("demo", "2026-01-01T00:00:00+00:00", cluster=CLUSTER | cluster)))


def test_a_reason_comes_before_the_symptom_and_the_unknown_comes_last():
    found = judged(status_reason="something odd", faults={"a": "instance state ERROR", "b": "No valid host was found"})
    assert [cause.code for cause in found] == ["NO_VALID_HOST", "SERVER_ERROR", "UNKNOWN_TEXT"]


def test_what_is_said_often_does_not_pass_what_is_surer():
    often = {f"n{n}": "instance state ERROR" for n in range(9)}
    assert judged(faults=often | {"z": "Binding failed for port 1"})[0].code == "PORT_BINDING"


def test_steps_name_the_cluster():
    steps = [step for cause in judged(status_reason="helm upgrade failed") for step in cause.do]
    assert any("demo-abc" in step for step in steps)
