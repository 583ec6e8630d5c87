"""Counts that an autoscaler has made stay; all others are the settings'."""

import pytest
from tests.stub_cloud import serve

from magflow.cloud.connection import connect
from magflow.engine.stack import live_counts
from magflow.settings import Cloud
from magflow.settings.cluster import FurtherCluster


@pytest.fixture
def live(tmp_path):
    """Opens a connection to a Magnum whose clusters have these counts."""
    with serve() as stub:

        def of(**clusters):
            for name, counts in clusters.items():
                stub.statuses[f"/clusters/{name}"] = ["CREATE_COMPLETE"]
                for group, count in counts.items():
                    path = f"/clusters/{name}/nodegroups/{group.replace('_', '-')}"
                    stub.statuses[path] = ["CREATE_COMPLETE"]
                    stub.values[path] = {"node_count": count}
            return lambda: connect(Cloud(name="stub", clouds_file=stub.clouds_file(tmp_path)))

        yield of


def scaled(settings, **groups):
    """The settings under an autoscaler; each group is (min, count, max)."""
    base = settings.node_groups["default-worker"]
    made = {
        name.replace("_", "-"): base.model_copy(update={"min": low, "count": count, "max": high})
        for name, (low, count, high) in groups.items()
    }
    cluster = settings.cluster.model_copy(update={"autoscaling": True, "name": "demo"})
    return settings.model_copy(update={"cluster": cluster, "node_groups": made})


def counts(settings):
    return {name: group.count for name, group in settings.node_groups.items()}


def test_what_the_autoscaler_made_stays_within_its_bounds(sandbox, live):
    settings = scaled(sandbox.settings, default_worker=(1, 2, 8), gpu=(0, 2, 4), big=(1, 3, 4))
    found = live_counts.adopt(settings, live(demo={"default_worker": 6, "gpu": 0, "big": 9}))
    assert counts(found) == {"default-worker": 6, "gpu": 0, "big": 4}


def test_groups_without_bounds_are_the_settings(sandbox, live):
    settings = scaled(sandbox.settings, default_worker=(None, 2, None), gpu=(1, 2, None))
    found = live_counts.adopt(settings, live(demo={"default_worker": 6, "gpu": 6}))
    assert counts(found) == {"default-worker": 2, "gpu": 2}


def test_a_cluster_that_is_yet_to_be_made_begins_with_the_settings(sandbox, live):
    settings = scaled(sandbox.settings, default_worker=(1, 2, 8))
    assert counts(live_counts.adopt(settings, live(other={"default_worker": 6}))) == {"default-worker": 2}


def test_without_an_autoscaler_magnum_is_not_asked(sandbox):
    def connect_not():
        raise AssertionError

    assert live_counts.adopt(sandbox.settings, connect_not) is sandbox.settings


def test_further_clusters_have_counts_of_their_own(sandbox, live):
    settings = scaled(sandbox.settings, default_worker=(1, 2, 8))
    settings = settings.model_copy(update={"clusters": {"two": FurtherCluster(), "new": FurtherCluster()}})
    found = live_counts.adopt(settings, live(demo={"default_worker": 6}, two={"default_worker": 4}))
    assert {name: counts(found.of_cluster(name)) for name in found.cluster_names} == {
        "demo": {"default-worker": 6},
        "two": {"default-worker": 4},
        "new": {"default-worker": 2},
    }
