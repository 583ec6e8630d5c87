"""The plan summary, on stored output of `terraform show -json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from magflow.engine.plan import SECRET, UNKNOWN, PlanSummary, summarize

DATA = Path(__file__).parent / "data"


def change(actions: list[str], before: Any, after: Any, **more: Any) -> dict[str, Any]:
    return {"actions": actions, "before": before, "after": after, **more}


def resource(body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"address": "x.y", "mode": "managed", "type": "x", "name": "y", "change": body, **more}


def plan(*resources: dict[str, Any], **more: Any) -> PlanSummary:
    return summarize({"resource_changes": list(resources), **more})


def test_no_change() -> None:
    summary = plan(resource(change(["no-op"], {"a": 1}, {"a": 1})))
    assert summary.empty
    assert summary.changes == ()


def test_a_changed_output_is_a_change() -> None:
    summary = plan(output_changes={"facts": change(["update"], 1, 2), "other": change(["no-op"], 1, 1)})
    assert not summary.empty
    assert summary.outputs == ("facts",)


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (["create"], "create"),
        (["update"], "update"),
        (["delete"], "delete"),
        (["delete", "create"], "replace"),
        (["create", "delete"], "replace"),
    ],
)
def test_actions(actions: list[str], expected: str) -> None:
    summary = plan(resource(change(actions, {"name": "research"}, {"name": "research"}), action_reason="why"))
    (only,) = summary.changes
    assert (only.action, only.name, only.reason) == (expected, "research", "why")
    by_action = {
        "create": summary.created,
        "update": summary.updated,
        "replace": summary.replaced,
        "delete": summary.deleted,
    }
    assert [name for name, found in by_action.items() if found] == [expected]


def test_data_sources_and_moves_to_nothing_do_not_count() -> None:
    read = resource(change(["read"], None, {"a": 1})) | {"mode": "data"}
    forgotten = resource(change(["forget"], {"a": 1}, None))
    assert plan(read, forgotten).empty


def test_paths_values_and_what_forces_a_replacement() -> None:
    (only,) = plan(
        resource(
            change(
                ["delete", "create"],
                {"id": "1", "labels": {"max": "3", "old": "x"}, "list": ["a", "b"], "same": 1, "none": None},
                {"labels": {"max": "6"}, "list": ["a", "c"], "same": 1, "none": {}},
                after_unknown={"id": True, "labels": {"new": True}},
                replace_paths=[["labels"]],
            )
        )
    ).changes
    assert [(item.path, item.before, item.after, item.forces_replacement) for item in only.attributes] == [
        ("id", "1", UNKNOWN, False),
        ("labels.max", "3", "6", True),
        ("labels.new", None, UNKNOWN, True),
        ("labels.old", "x", None, True),
        ("list.1", "b", "c", False),
    ]


def test_secrets_are_masked_by_mark_and_by_name() -> None:
    (only,) = plan(
        resource(
            change(
                ["update"],
                {
                    "marked": "s3cret-1",
                    "nested": {"key": "s3cret-2"},
                    "admin_password": "s3cret-3",
                    "whole": {"a": "s3cret-4"},
                },
                {
                    "marked": "s3cret-5",
                    "nested": {"key": "s3cret-6"},
                    "admin_password": "s3cret-7",
                    "whole": {"a": "s3cret-8"},
                },
                before_sensitive={"marked": True, "nested": {"key": True}, "whole": True},
                after_sensitive={"marked": True, "nested": {"key": True}, "whole": True},
            )
        )
    ).changes
    assert "s3cret" not in repr(only)
    assert {item.path: (item.before, item.after) for item in only.attributes} == dict.fromkeys(
        ("admin_password", "marked", "nested.key", "whole"), (SECRET, SECRET)
    )


def test_an_unchanged_secret_is_no_change() -> None:
    marks = {"before_sensitive": {"a": True}, "after_sensitive": {"a": True}}
    (only,) = plan(resource(change(["update"], {"a": "s", "b": 1}, {"a": "s", "b": 2}, **marks))).changes
    assert [item.path for item in only.attributes] == ["b"]


def test_drift_is_told_apart() -> None:
    summary = summarize({"resource_drift": [resource(change(["update"], {"n": 2}, {"n": 6}))]})
    assert summary.empty
    assert summary.drift[0].attributes[0].after == 6


def test_a_time_of_change_is_no_drift() -> None:
    times = ({"n": 2, "updated_at": "1"}, {"n": 2, "updated_at": "2"})
    assert summarize({"resource_drift": [resource(change(["update"], *times))]}).drift == ()


def test_a_stored_plan_that_replaces_a_cluster() -> None:
    """Labels on the cluster itself: the plan that wants to destroy the cluster over a label."""
    summary = summarize(json.loads((DATA / "plan-replaces-cluster.json").read_text()))
    (cluster,) = summary.replaced
    assert (cluster.kind, cluster.name) == ("openstack_containerinfra_cluster_v1", "research")
    forcing = [(item.path, item.before, item.after) for item in cluster.attributes if item.forces_replacement]
    assert forcing == [("labels.max_node_count", None, "6"), ("labels.monitoring_enabled", "true", None)]
    assert "PRIVATE KEY" not in repr(summary)
