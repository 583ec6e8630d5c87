"""What is still to be made: the settings minus what Magnum has."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from magflow.cloud import capacity
from magflow.errors import MagflowError
from magflow.settings import FurtherCluster


def cloud(monkeypatch, groups, status=200):
    """A cloud that has these clusters, by name, each with its node groups."""
    held = [SimpleNamespace(id=name, name=name) for name in groups]
    monkeypatch.setattr(capacity.magnum, "clusters", lambda _connection: held)

    def get(path, headers):
        listed = [{"name": name, "node_count": count} for name, count in groups[path.split("/")[2]].items()]
        return SimpleNamespace(status_code=status, text="refused", json=lambda: {"nodegroups": listed})

    return SimpleNamespace(container_infrastructure_management=SimpleNamespace(get=get))


def test_a_new_cluster_needs_all(sandbox, monkeypatch):
    wanted = capacity.wanted(cloud(monkeypatch, {}), sandbox.settings)
    assert wanted.machines == Counter({"bm.control": 1, "bm.cpu": 2, "bm.gpu4": 1})
    assert (wanted.clusters, wanted.standing) == (["demo"], 0)


def test_a_cluster_that_stands_needs_what_is_missing(sandbox, monkeypatch):
    there = {"demo": {"default-master": 1, "default-worker": 1}}
    wanted = capacity.wanted(cloud(monkeypatch, there), sandbox.settings)
    assert wanted.machines == Counter({"bm.cpu": 1, "bm.gpu4": 1})
    assert (wanted.clusters, wanted.standing) == ([], 1)


def test_nodes_too_many_of_one_group_do_not_make_up_for_another(sandbox, monkeypatch):
    there = {"demo": {"default-master": 1, "default-worker": 9, "gpu": 0}}
    assert capacity.wanted(cloud(monkeypatch, there), sandbox.settings).machines == Counter({"bm.gpu4": 1})


def test_further_clusters_count_too(sandbox, monkeypatch):
    settings = sandbox.settings.model_copy(update={"clusters": {"second": FurtherCluster()}})
    there = {"demo": {"default-master": 1, "default-worker": 2, "gpu": 1}, "stranger": {}}
    wanted = capacity.wanted(cloud(monkeypatch, there), settings)
    assert wanted.clusters == ["second"]
    assert wanted.machines == Counter({"bm.control": 1, "bm.cpu": 2, "bm.gpu4": 1})


def test_magnum_s_own_words(sandbox, monkeypatch):
    with pytest.raises(MagflowError, match="Magnum answered 500: refused"):
        capacity.wanted(cloud(monkeypatch, {"demo": {}}, status=500), sandbox.settings)
