"""A cluster is changed in place by changed settings alone: each change is deployed, seen in Magnum, and done."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from tests.sandbox.suite import Suite

from magflow import settings_file
from magflow.cloud import connection, magnum

GROUP = 'module.stack.module.node_group["change/extra"].openstack_containerinfra_nodegroup_v1.this'


@dataclass
class Changing(Suite):
    """An environment with the cluster and its node pools alone."""

    name: str = "change"

    def __post_init__(self) -> None:
        super().__post_init__()
        off = dict.fromkeys(("training_operator", "ingress", "smoke"), False)
        self.save(lambda d: d.update(stages=off))
        self.save(lambda d: d["node_groups"].pop("gpu"))
        self.save(lambda d: d["node_groups"]["default-worker"].update(count=1))

    @property
    def cloud(self) -> Any:
        return connection.connect(settings_file.load(str(self.file)).settings.cloud)

    def held(self) -> dict[str, Any]:
        found = magnum.show(self.cloud, self.name)
        assert found is not None
        return found

    def groups(self) -> dict[str, int]:
        """Number of nodes of each node group, as Magnum has it."""
        listed = magnum.show_node_groups(self.cloud, self.held()["uuid"])
        return {group["name"]: group["node_count"] for group in listed}

    def templates(self) -> list[Any]:
        listed = self.cloud.container_infrastructure_management.cluster_templates()
        return [template for template in listed if template.name == self.name]

    def change(self, how: Any, *words: str) -> list[str]:
        """Changes the settings and deploys; then nothing is left to change. Returns the planned actions."""
        self.save(how)
        planned = json.loads(self.magflow("plan", str(self.file), *words, "--json").stdout)
        report = self.report("deploy", str(self.file), *words)
        assert report["exit_code"] == 0
        again = json.loads(self.magflow("plan", str(self.file), "--json").stdout)
        assert (again["changes"], again["outputs"]) == ([], [])
        return sorted(change["action"] for change in planned["changes"])


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    made = Changing(home=cloud_home, folder=tmp_path_factory.mktemp("changes"))
    made.deploy()
    yield made
    made.magflow("destroy", str(made.file), "--yes")


@pytest.fixture(scope="module")
def identity(suite):
    """What stays through every change."""
    return {key: suite.held()[key] for key in ("uuid", "stack_id", "api_address")}


@pytest.fixture(autouse=True)
def same_cluster(suite, identity):
    yield
    assert {key: suite.held()[key] for key in identity} == identity


def test_default_workers_grow_and_shrink(suite):
    workers = suite.data["node_groups"]["default-worker"]
    assert suite.change(lambda _d: workers.update(count=3)) == ["update"]
    assert (suite.groups()["default-worker"], len(suite.kube.nodes())) == (3, 4)
    assert suite.change(lambda _d: workers.update(count=1)) == ["update"]
    assert (suite.groups()["default-worker"], len(suite.kube.nodes())) == (1, 2)


def test_a_group_comes_with_its_labels_and_is_resized(suite):
    extra = {"flavor": "bm.cpu", "count": 1, "labels": {"pooltype": "unshared"}}
    assert suite.change(lambda d: d["node_groups"].update(extra=extra)) == ["create"]
    assert suite.groups() == {"default-master": 1, "default-worker": 1, "extra": 1}
    assert len(suite.kube.list("v1", "Node", labels="pooltype=unshared")) == 1
    assert suite.change(lambda d: d["node_groups"]["extra"].update(count=2)) == ["update"]
    assert suite.groups()["extra"] == 2
    assert len(suite.kube.list("v1", "Node", labels="pooltype=unshared")) == 2


def test_default_workers_and_a_group_in_one_go(suite):
    def both(data):
        data["node_groups"]["default-worker"].update(count=2)
        data["node_groups"]["extra"].update(count=1)

    assert suite.change(both) == ["update", "update"]
    assert suite.groups() == {"default-master": 1, "default-worker": 2, "extra": 1}


def test_a_new_template_comes_the_cluster_is_upgraded_in_place_and_the_old_one_goes(suite):
    (old,) = suite.templates()
    nodes = {node["metadata"]["name"] for node in suite.kube.nodes()}
    actions = suite.change(lambda d: d["cluster"].update(extra_labels={"kube_dashboard_enabled": "false"}))
    assert "update" in actions and "delete" not in actions
    (new,) = suite.templates()
    assert new.id != old.id
    assert new.labels["kube_dashboard_enabled"] == "false"
    held = suite.held()
    assert (held["cluster_template_id"], held["status"]) == (new.id, "UPDATE_COMPLETE")
    facts = json.loads((suite.run / "facts.json").read_text())
    assert facts["clusters"][suite.name]["template_id"] == new.id
    # labels of the cluster's add-ons change no machine
    assert {node["metadata"]["name"] for node in suite.kube.nodes()} == nodes


def test_a_group_goes_when_it_is_allowed_by_name(suite):
    extra = suite.data["node_groups"].pop("extra")
    suite.save()
    refused = suite.magflow("deploy", str(suite.file))
    assert refused.returncode == 1
    assert "extra" in refused.stderr and f"--allow '{GROUP}'" in refused.stderr
    assert suite.groups()["extra"] == extra["count"]
    assert suite.change(lambda _d: None, "--allow", GROUP) == ["delete"]
    assert suite.groups() == {"default-master": 1, "default-worker": 2}
    assert suite.kube.list("v1", "Node", labels="pooltype=unshared") == []
