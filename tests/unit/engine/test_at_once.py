"""Changes of one cluster are never made at the same time; those of several clusters may be."""

import pytest

from magflow.engine.plan import PlanSummary, ResourceChange
from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP
from magflow.engine.terraform.at_once import cluster_of, of_groups, of_plan


def cluster(name, action):
    address = f'module.stack.module.cluster["{name}"].{CLUSTER}.this'
    return ResourceChange(address, CLUSTER, name, action, None, ())


def group(owner, name, action):
    address = f'module.stack.module.node_group["{owner}/{name}"].{NODE_GROUP}.this'
    return ResourceChange(address, NODE_GROUP, name, action, None, ())


def most(*changes):
    return of_plan(PlanSummary(changes, (), ()), 3)


def test_a_change_belongs_to_its_cluster():
    assert cluster_of(cluster("one", "create")) == "one"
    assert cluster_of(group("one", "gpu", "create")) == "one"
    assert cluster_of(ResourceChange("module.stack.module.keypair.x.this", "x", "k", "create", None, ())) is None


def test_clusters_with_one_group_each_go_together():
    assert most(*[c for n in "abc" for c in (cluster(n, "create"), group(n, "gpu", "create"))]) == 3
    assert most() == 3


@pytest.mark.parametrize(
    "changes",
    [
        (group("one", "gpu", "create"), group("one", "cpu", "create")),
        (group("one", "gpu", "delete"), group("one", "cpu", "create"), cluster("two", "create")),
        (cluster("one", "update"), group("one", "gpu", "delete")),
    ],
    ids=["two groups are made", "one comes and one goes", "the cluster changes and a group goes"],
)
def test_several_changes_of_one_cluster_go_one_at_a_time(changes):
    """2i2c-org/infrastructure issue 5455: three groups at once end in CREATE_FAILED."""
    assert most(*changes) == 1


def test_a_destroy_looks_at_the_groups_that_are_there():
    assert of_groups({"one": 1, "two": 0}, 3) == 3
    assert of_groups({"one": 2, "two": 0}, 3) == 1
    assert of_groups({}, 3) == 3
