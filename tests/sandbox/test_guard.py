"""The plan guard and a real cluster: what is refused leaves it as it was, and an autoscaler's count stays."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import pytest
from tests.sandbox.suite import Suite

from magflow import settings_file
from magflow.cloud import connection, magnum

WORKERS = "default-worker"


@dataclass
class Guarded(Suite):
    """A cluster under an autoscaler, with a label of its own."""

    name: str = "guarded"

    def __post_init__(self) -> None:
        super().__post_init__()
        off = dict.fromkeys(("node_pools", "training_operator", "ingress", "smoke"), False)
        self.save(lambda d: d.update(stages=off))
        self.save(lambda d: d["node_groups"].pop("gpu"))
        self.save(lambda d: d["node_groups"][WORKERS].update(min=1, count=1, max=3))
        self.save(lambda d: d["cluster"].update(autoscaling=True, own_labels={"kube_dashboard_enabled": "false"}))

    @property
    def cloud(self) -> Any:
        return connection.connect(settings_file.load(str(self.file)).settings.cloud)

    def held(self) -> dict[str, Any]:
        found = magnum.show(self.cloud, self.name)
        assert found is not None
        return found

    def count(self) -> int:
        listed = magnum.show_node_groups(self.cloud, self.held()["uuid"])
        return next(int(group["node_count"]) for group in listed if group["name"] == WORKERS)

    def resize(self, count: int) -> None:
        """As an autoscaler does, behind Terraform's back."""
        magnum_api = self.cloud.container_infrastructure_management
        answer = magnum_api.post(
            f"/clusters/{self.held()['uuid']}/actions/resize", json={"node_count": count}, headers=magnum.MICROVERSION
        )
        assert answer.status_code == 202, answer.text
        end = time.monotonic() + 120
        while not self.held()["status"].endswith("_COMPLETE") or self.count() != count:
            assert time.monotonic() < end
            time.sleep(1)

    def planned(self, status: int) -> dict[str, Any]:
        done = self.magflow("plan", str(self.file), "--json")
        assert done.returncode == status, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    made = Guarded(home=cloud_home, folder=tmp_path_factory.mktemp("guarded"))
    try:
        made.deploy()
        yield made
    finally:
        made.magflow("destroy", str(made.file), "--yes")


def test_nothing_changes_by_itself(suite):
    assert suite.planned(0) == {"changes": [], "outputs": [], "findings": []}


def test_what_an_autoscaler_made_stays(suite):
    suite.resize(2)
    assert suite.planned(0)["changes"] == []
    suite.deploy()
    assert suite.count() == 2


def test_bounds_below_it_are_a_conflict(suite):
    suite.save(lambda d: d["node_groups"][WORKERS].update(max=1))
    errors = [finding for finding in suite.planned(1)["findings"] if finding["severity"] == "error"]
    assert "AUTOSCALER_CONFLICT" in [finding["code"] for finding in errors]
    assert any("configured 1, live 2" in finding["message"] for finding in errors)
    assert suite.magflow("deploy", str(suite.file)).returncode == 1
    assert suite.count() == 2
    suite.save(lambda d: d["node_groups"][WORKERS].update(max=3))


def test_a_label_of_the_cluster_itself_is_refused(suite):
    before = suite.held()
    suite.save(lambda d: d["cluster"].update(own_labels={"kube_dashboard_enabled": "true"}))
    (finding,) = suite.planned(1)["findings"]
    assert finding["code"] == "PLAN_REPLACES_CLUSTER"
    assert "labels.kube_dashboard_enabled (false -> true)" in finding["message"]
    done = suite.magflow("deploy", str(suite.file))
    assert done.returncode == 1
    assert "would replace cluster 'guarded'" in done.stderr and "code: PLAN_REPLACES_CLUSTER" in done.stderr
    after = suite.held()
    assert (after["uuid"], after["labels"]) == (before["uuid"], before["labels"])
    suite.save(lambda d: d["cluster"].update(own_labels={"kube_dashboard_enabled": "false"}))
    assert suite.planned(0)["changes"] == []
