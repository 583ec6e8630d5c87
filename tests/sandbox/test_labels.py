"""What is compiled arrives: at Magnum as labels, and in magnum-capi-helm's own values of the cluster's Helm release."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from typing import Any

import pytest
from tests.sandbox.suite import Suite

from magflow import settings_file
from magflow.cloud import connection, magnum
from magflow.kube.client import connect
from magflow.rules import labels


@dataclass
class Labelled(Suite):
    """An environment with the cluster alone."""

    name: str = "labelled"

    def __post_init__(self) -> None:
        super().__post_init__()
        off = dict.fromkeys(("node_pools", "training_operator", "ingress", "smoke"), False)
        self.save(lambda d: d.update(stages=off))
        self.save(lambda d: d["node_groups"].pop("gpu"))
        self.save(lambda d: d["node_groups"]["default-worker"].update(count=1))
        self.save(lambda d: d["cluster"].update(load_balancer={"provider": "ovn"}))

    def compiled(self) -> labels.Compiled:
        return labels.compile(settings_file.load(str(self.file)).settings)

    def held(self) -> dict[str, Any]:
        found = magnum.show(connection.connect(settings_file.load(str(self.file)).settings.cloud), self.name)
        assert found is not None
        return found

    def values(self) -> dict[str, Any]:
        """The values that the driver gave to the newest revision of the cluster's Helm release."""
        management = connect(self.home / "etc" / "management.kubeconfig")
        secrets = management.list("v1", "Secret", labels="owner=helm")
        mine = [one for one in secrets if one["metadata"]["labels"]["name"] == self.held()["stack_id"]]
        newest = max(mine, key=lambda one: int(one["metadata"]["labels"]["version"]))
        stored = base64.b64decode(base64.b64decode(newest["data"]["release"]))
        config: dict[str, Any] = json.loads(gzip.decompress(stored))["config"]
        return config


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    made = Labelled(home=cloud_home, folder=tmp_path_factory.mktemp("labels"))
    made.deploy()
    yield made
    made.magflow("destroy", str(made.file), "--yes")


def test_magnum_holds_what_was_compiled(suite):
    compiled, held = suite.compiled(), suite.held()
    assert compiled.template == {"auto_healing_enabled": "false", "octavia_provider": "ovn"}
    assert held["labels"] == compiled.own == {"managed_by": "magflow"}


def test_the_driver_reads_the_templates_labels_though_the_cluster_has_one_of_its_own(suite):
    values = suite.values()
    assert values["nodeGroupDefaults"]["healthCheck"]["enabled"] is False
    assert values["controlPlane"]["healthCheck"]["enabled"] is False
    assert values["apiServer"]["loadBalancerProvider"] == "ovn"
    assert values["addons"]["kubernetesDashboard"]["enabled"] is True
    assert values["addons"]["ingress"]["enabled"] is False


def test_changed_labels_reach_the_cluster_in_place(suite):
    uuid = suite.held()["uuid"]
    suite.save(lambda d: d["cluster"].update(auto_healing=True, extra_labels={"kube_dashboard_enabled": "false"}))
    assert suite.deploy()["exit_code"] == 0
    assert suite.held()["uuid"] == uuid
    values = suite.values()
    assert values["nodeGroupDefaults"]["healthCheck"]["enabled"] is True
    assert values["addons"]["kubernetesDashboard"]["enabled"] is False
