"""The guard: no plan that replaces a cluster runs; everything else is told in a line each."""

import pytest

from magflow.engine.plan import AttributeChange, PlanSummary, ResourceChange
from magflow.engine.stack import Plan
from magflow.errors import MagflowError

CLUSTER = "module.stack.module.cluster.openstack_containerinfra_cluster_v1.this"


def plan(action, *attributes, kind="openstack_containerinfra_cluster_v1"):
    change = ResourceChange(CLUSTER, kind, "demo", action, None, attributes)
    return Plan(PlanSummary((change,), (), ()))


def test_a_replacement_of_the_cluster_is_refused_with_the_attribute():
    changed = AttributeChange("labels.max_node_count", "3", "6", forces_replacement=True)
    with pytest.raises(MagflowError) as error:
        plan("replace", changed).refuse_replacement()
    assert error.value.what == 'the plan would replace cluster \'demo\': labels.max_node_count ("3" -> "6")'
    assert error.value.where == CLUSTER


def test_a_deletion_of_the_cluster_is_refused():
    with pytest.raises(MagflowError, match="would delete cluster 'demo'"):
        plan("delete").refuse_replacement()


@pytest.mark.parametrize("action", ["create", "update"])
def test_other_changes_pass(action):
    plan(action, AttributeChange("node_count", 1, 3)).refuse_replacement()


def test_a_replaced_keypair_passes():
    plan("replace", kind="openstack_compute_keypair_v2").refuse_replacement()


def test_lines_say_what_changes():
    found = plan("update", AttributeChange("node_count", 1, 3))
    assert found.lines() == [f"~ {CLUSTER}: node_count (1 -> 3)"]
    assert found.summary == "1 updated"
