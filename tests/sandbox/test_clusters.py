"""Several clusters of one environment: made in one apply, several at a time, and destroyed with nothing left."""

from __future__ import annotations

import json

import pytest
from tests.sandbox.many import Many, Watch
from tests.sandbox.suite import outcomes

from magflow.cloud import magnum
from magflow.kube.client import connect


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    made = Many(home=cloud_home, folder=tmp_path_factory.mktemp("many"), extra=True)
    yield made
    made.magflow("destroy", str(made.file), "--yes")


@pytest.fixture(scope="module")
def before(suite):
    return suite.inventory()


def test_three_clusters_in_one_apply(suite, before):
    with Watch(suite) as watch:
        report = suite.deploy()
    assert report["exit_code"] == 0
    held = {item.name: item.status for item in magnum.clusters(suite.cloud)}
    assert held == dict.fromkeys(("many-0", "many-1", "many-2"), held["many-0"])
    assert held["many-0"].endswith("_COMPLETE")
    # no cluster has two groups of its own to change, so they are made beside each other
    assert watch.most == 3
    facts = json.loads((suite.run / "facts.json").read_text())
    assert sorted(facts["clusters"]) == ["many-0", "many-1", "many-2"]
    assert len({cluster["id"] for cluster in facts["clusters"].values()}) == 3
    print(f"3 clusters in {watch.seconds:.0f} s, {watch.rss / 1024**3:.2f} GiB at most")


def test_each_has_a_kubeconfig_and_nodes_of_its_own(suite):
    files = [suite.run / "kubeconfig", suite.run / "kubeconfigs/many-1", suite.run / "kubeconfigs/many-2"]
    names = [{node["metadata"]["name"] for node in connect(file).nodes()} for file in files]
    assert [len(found) for found in names] == [3, 3, 3]
    assert len(set.union(*names)) == 9
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_the_same_again_changes_nothing(suite):
    report = suite.deploy()
    assert {stage["stage"]: stage["changed"] for stage in report["stages"]}["cluster"] == 0


def test_one_of_them_goes_when_it_is_allowed_and_the_others_stay(suite):
    kept = {item.name: item.id for item in magnum.clusters(suite.cloud) if item.name != "many-2"}
    suite.save(lambda d: d["clusters"].pop("many-2"))
    refused = suite.magflow("deploy", str(suite.file))
    assert refused.returncode == 1
    assert "many-2" in refused.stderr
    planned = json.loads(suite.magflow("plan", str(suite.file), "--json").stdout)
    gone = [change["address"] for change in planned["changes"] if change["action"] == "delete"]
    allowed = [word for address in gone for word in ("--allow", address)]
    assert suite.report("deploy", str(suite.file), *allowed)["exit_code"] == 0
    assert {item.name: item.id for item in magnum.clusters(suite.cloud)} == kept


def test_destroy_leaves_nothing(suite, before):
    with Watch(suite) as watch:
        report = suite.report("destroy", str(suite.file), "--yes")
    assert set(outcomes(report).values()) == {"ok"}
    assert suite.inventory() == before
    print(f"2 clusters destroyed in {watch.seconds:.0f} s, {watch.most} at a time")
