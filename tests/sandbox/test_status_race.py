"""Magnum's status comes late, as a busy conductor's does: the real provider gives up, deploy and destroy go on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from tests.sandbox.conftest import sandbox
from tests.sandbox.suite import Suite

from magflow import settings_file
from magflow.cloud import connection, magnum


@dataclass
class Late(Suite):
    """An environment with a cluster and one node group of its own."""

    name: str = "late"

    def __post_init__(self) -> None:
        super().__post_init__()
        off = dict.fromkeys(("node_pools", "training_operator", "ingress", "smoke"), False)
        self.save(lambda d: d.update(stages=off))

    @property
    def cloud(self) -> Any:
        return connection.connect(settings_file.load(str(self.file)).settings.cloud)

    def races(self) -> list[dict[str, Any]]:
        events = [json.loads(line) for line in (self.run / "journal.jsonl").read_text().splitlines()]
        return [event for event in events if event.get("code") == "TRANSIENT_STATUS_RACE"]

    def gave_up(self) -> int:
        """How often the provider did, by its own log."""
        return (
            (self.run / "logs" / "terraform.log").read_text().count('"severity":"error","summary":"Error waiting for')
        )


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    made = Late(home=cloud_home, folder=tmp_path_factory.mktemp("late"))
    try:
        made.deploy()
        assert sandbox(cloud_home, "fault", "set", "stale-status", "--requests", "2").returncode == 0
        yield made
    finally:
        sandbox(cloud_home, "fault", "clear")
        made.magflow("destroy", str(made.file), "--yes")


def test_a_resized_group(suite):
    assert suite.races() == []
    suite.save(lambda d: d["node_groups"]["gpu"].update(count=d["node_groups"]["gpu"]["count"] + 1))
    suite.deploy()
    (race,) = suite.races()
    assert (race["seen"], race["wanted"], race["status"]) == ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_COMPLETE")
    assert suite.gave_up() == 1
    (cluster,) = [one for one in magnum.clusters(suite.cloud) if one.name == suite.name]
    counts = {group["name"]: group["node_count"] for group in magnum.show_node_groups(suite.cloud, cluster.id)}
    assert counts["gpu"] == suite.data["node_groups"]["gpu"]["count"]


def test_a_destroy(suite):
    report = suite.report("destroy", str(suite.file), "--yes")
    assert report["destroyed"] is True
    assert [race["status"] for race in suite.races()] == ["UPDATE_COMPLETE", "DELETE_COMPLETE"]
    assert suite.gave_up() == 2
    assert [one for one in magnum.clusters(suite.cloud) if one.name == suite.name] == []
