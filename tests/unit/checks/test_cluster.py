"""Further clusters: what Magnum says of them counts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from magflow.checks import cluster
from magflow.checks.model import NotApplicable, Problem

GROUPS = [
    {"name": "default-worker", "status": "CREATE_COMPLETE", "node_count": 2},
    {"name": "gpu", "status": "CREATE_COMPLETE", "node_count": 1},
]
WELL = {"uuid": "u", "name": "second", "status": "CREATE_COMPLETE", "health_status": "HEALTHY"}


def problems(sandbox, cluster_=None, groups=GROUPS):
    return cluster.further_problems(sandbox.settings, WELL | (cluster_ or {}), groups)


def test_a_cluster_that_is_well(sandbox):
    assert problems(sandbox) == []
    assert problems(sandbox, {"health_status": None}) == []


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"status": "UPDATE_IN_PROGRESS"}, "status is UPDATE_IN_PROGRESS"),
        ({"status": "CREATE_FAILED", "status_reason": "no host"}, "status is CREATE_FAILED: no host"),
        (
            {"health_status": "UNHEALTHY", "health_status_reason": {"api": "ok", "second-node-0.Ready": "False"}},
            "its health is UNHEALTHY: second-node-0.Ready False",
        ),
    ],
)
def test_a_cluster_that_is_not(sandbox, said, problem):
    assert problems(sandbox, said) == [problem]


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        (GROUPS[:1], "node group 'gpu' is missing"),
        ([GROUPS[0], GROUPS[1] | {"node_count": 0}], "node group 'gpu' has 0 of 1 asked"),
        ([GROUPS[0], GROUPS[1] | {"status": "CREATE_FAILED"}], "node group 'gpu' is CREATE_FAILED"),
    ],
)
def test_node_groups(sandbox, groups, problem):
    assert problems(sandbox, groups=groups) == [problem]


def test_more_nodes_than_asked_are_the_autoscaler_s(sandbox):
    assert problems(sandbox, groups=[GROUPS[0] | {"node_count": 9}, GROUPS[1]]) == []


def test_an_autoscaler_may_take_a_group_down_to_its_least(sandbox):
    gpu = sandbox.settings.node_groups["gpu"].model_copy(update={"count": 1, "min": 0, "max": 4})
    groups = sandbox.settings.node_groups | {"gpu": gpu}
    fixed = sandbox.settings.model_copy(update={"node_groups": groups})
    scaled = fixed.model_copy(update={"cluster": fixed.cluster.model_copy(update={"autoscaling": True})})
    shrunk = [GROUPS[0], GROUPS[1] | {"node_count": 0}]
    assert cluster.further_problems(fixed, WELL, shrunk) == ["node group 'gpu' has 0 of 1 asked"]
    assert cluster.further_problems(scaled, WELL, shrunk) == []
    assert (fixed.fewest("gpu"), scaled.fewest("gpu"), scaled.fewest("default-worker")) == (1, 0, 2)


def test_one_cluster_has_no_further_one(sandbox):
    with pytest.raises(NotApplicable):
        cluster.further_clusters_are_complete.probe(SimpleNamespace(settings=sandbox.settings))


def world(sandbox, monkeypatch, shown):
    settings = sandbox.settings.model_copy(update={"clusters": {"second": _further()}})
    monkeypatch.setattr(cluster.magnum, "show", lambda _cloud, _id: shown)
    monkeypatch.setattr(cluster.magnum, "show_node_groups", lambda _cloud, _id: GROUPS)
    facts = SimpleNamespace(clusters={"second": SimpleNamespace(id="u")})
    return SimpleNamespace(settings=settings, facts=facts, cloud=None)


def _further():
    from magflow.settings import FurtherCluster

    return FurtherCluster()


def test_the_check_reads_every_further_cluster(sandbox, monkeypatch):
    probe = cluster.further_clusters_are_complete.probe
    assert probe(world(sandbox, monkeypatch, WELL)) == "second CREATE_COMPLETE"
    with pytest.raises(Problem, match="'second': status is CREATE_FAILED") as problem:
        probe(world(sandbox, monkeypatch, WELL | {"status": "CREATE_FAILED"}))
    assert problem.value.final
    with pytest.raises(Problem, match="Magnum knows no cluster 'second'"):
        probe(world(sandbox, monkeypatch, None))
