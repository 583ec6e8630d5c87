"""Errors that people have met, and what they are; the texts are the services' own."""

import pytest

from magflow.engine.terraform.provider_errors import classify, race

PATCH = "Error updating openstack_containerinfra_{kind} c1: Bad request with: [PATCH http://m/v1/x], error message: "


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            PATCH
            + "{\"detail\": \"Invalid input for field/attribute node_count. Value: '4'. '<' not supported between "
            "instances of 'str' and 'int'\"}",
            "PROVIDER_NODE_COUNT_AS_STRING",
        ),
        (
            PATCH + "Couldn't apply patch '[{'path': '/labels', 'op': 'replace', 'value': 'boot_volume_size=5'}]'. "
            "Reason: invalid syntax (<unknown>, line 1)",
            "PROVIDER_LABELS_AS_TEXT",
        ),
        ("Resizing a nodegroup to zero is not supported in the provided microversion.", "PROVIDER_NO_ZERO_NODES"),
        (PATCH + "ClusterTemplate t1 is referenced by one or multiple clusters.", "TEMPLATE_IN_USE"),
        ("Cluster demo already has an operation in progress.", "CLUSTER_BUSY"),
        ('Updating a cluster when status is "UPDATE_IN_PROGRESS" is not supported.', "CLUSTER_BUSY"),
        ('{"detail": "Resizing a cluster when status is \\"CREATE_IN_PROGRESS\\" is not supported."}', "CLUSTER_BUSY"),
        ("Resource limit exceeded: You have reached the maximum clusters per project, 20.", "MAGNUM_LIMIT_EXCEEDED"),
        ("Policy doesn't allow cluster:create to be performed.", "POLICY_FORBIDS"),
        (
            "Error creating OpenStack container infra client: "
            "No suitable endpoint could be found in the service catalog.",
            "MAGNUM_NOT_FOUND",
        ),
        (
            "Error waiting for openstack_containerinfra_cluster_v1 c1 to become ready: timeout while waiting for state "
            "to become 'CREATE_COMPLETE' (last state: 'CREATE_IN_PROGRESS', timeout: 1h0m0s)",
            "PROVIDER_TIMEOUT",
        ),
        (
            "Error waiting for openstack_containerinfra_cluster_v1 c1 to become ready: "
            "openstack_containerinfra_cluster_v1 is in an error state: no valid host",
            "CLUSTER_FAILED",
        ),
        ("unexpected state 'CREATE_COMPLETE', wanted target 'DELETE_COMPLETE'.", "TRANSIENT_STATUS_RACE"),
    ],
)
def test_known_errors(text, code):
    known = classify(text)
    assert known and known.code == code
    assert known.hint


@pytest.mark.parametrize(
    "text",
    [
        "Unable to find flavor nope",
        "Invalid input for field/attribute node_count. Value: '-1'. Value should be greater or equal to 0",
        "Couldn't apply patch '[{'path': '/flavor_id'}]'. Reason: flavor not found",
        "unexpected state 'CREATE_FAILED', wanted target 'CREATE_COMPLETE'.",
        "",
    ],
)
def test_others_are_not_taken_for_them(text):
    assert classify(text) is None


def test_a_race_of_something_else_cannot_be_waited_for_at_magnum():
    text = "Error waiting for openstack_compute_instance_v2 i1 to become ready: unexpected state 'E', wanted target 'A'"
    assert race(text, "a.b") is None
