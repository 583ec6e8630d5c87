"""A label that is not on the nodes is told with the nodes, the expected key and what is there in its place."""

from types import SimpleNamespace

import pytest

from magflow.checks.model import Problem
from magflow.checks.node_pools import labels_are_set


def node(name, group, **labels):
    found = {"kubernetes.io/hostname": name, "capi.stackhpc.com/node-group": group} | labels
    return {"metadata": {"name": name, "labels": found}, "spec": {}, "status": {}}


@pytest.fixture
def look(sandbox):
    """Runs the check for a group `gpu` that wants one label, on these nodes."""

    def run(*nodes):
        group = sandbox.settings.node_groups["gpu"].model_copy(
            update={"count": len(nodes), "labels": {"magnum.openstack.org/role": "gpu"}}
        )
        settings = sandbox.settings.model_copy(update={"node_groups": {"gpu": group}})
        kube = SimpleNamespace(nodes=lambda: list(nodes))
        facts = SimpleNamespace(cluster=SimpleNamespace(name="demo"))
        return labels_are_set.probe(SimpleNamespace(settings=settings, kube=kube, facts=facts))

    return run


def test_nodes_expected_key_and_the_keys_that_are_there_are_named(look):
    other = {"node-role.kubernetes.io/gpu": "", "capi.stackhpc.com/node-group": "gpu"}
    with pytest.raises(Problem) as problem:
        look(node("demo-gpu-0", "gpu", **other), node("demo-gpu-1", "gpu", **other))
    (finding,) = problem.value.findings
    assert (finding.code, finding.path) == ("NODEGROUP_LABEL_MISSING", "node_groups.gpu")
    assert "demo-gpu-0, demo-gpu-1 has no magnum.openstack.org/role, wanted gpu" in finding.message
    assert "labels there: capi.stackhpc.com/node-group=gpu, node-role.kubernetes.io/gpu=" in finding.message
    assert "hostname" not in finding.message


def test_another_value_is_told_and_only_the_nodes_that_lack_it(look):
    good = node("demo-gpu-0", "gpu", **{"magnum.openstack.org/role": "gpu"})
    with pytest.raises(Problem) as problem:
        look(good, node("demo-gpu-1", "gpu", **{"magnum.openstack.org/role": "worker"}))
    (finding,) = problem.value.findings
    assert finding.message.startswith("demo-gpu-1 has magnum.openstack.org/role=worker, wanted gpu")


def test_with_the_label_all_is_well(look):
    assert look(node("demo-gpu-0", "gpu", **{"magnum.openstack.org/role": "gpu"})) == "1 labels"
