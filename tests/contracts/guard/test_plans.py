"""The guard on plans that the real provider makes of a real change, both ways: what stops, and what is next to it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.stub_cloud import StubCloud

from magflow.engine.plan import file as plan_file
from magflow.engine.plan import guard
from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP, TEMPLATE
from magflow.findings import Finding

from .conftest import CLUSTER_STATE, LABELS, STATE, Root, cluster, group, template

DEMO, GPU, RESEARCH = f"{CLUSTER}.demo", f"{NODE_GROUP}.gpu", f"{TEMPLATE}.research"
ALL = template() + cluster() + group()


def look(
    root: Root, text: str, state: dict[str, Any] = STATE, allow: tuple[str, ...] = (), **options: Any
) -> tuple[Finding, ...]:
    return guard.examine(plan_file.load(root.plan(text, state, **options)), allow)


def codes(found: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(finding.code, str(finding.severity), finding.path) for finding in found]


def test_a_plan_without_a_change(root: Root) -> None:
    assert plan_file.load(root.plan(ALL, STATE)).empty
    assert look(root, ALL) == ()


def test_a_raised_bound_in_the_labels(root: Root) -> None:
    """terraform-provider-openstack issue 1625."""
    text = template() + cluster(labels=LABELS | {"max_node_count": "6"}) + group()
    found = look(root, text)
    assert codes(found) == [("PLAN_REPLACES_CLUSTER", "error", DEMO)]
    assert "labels.max_node_count (3 -> 6)" in found[0].message
    assert "PRIVATE KEY" not in repr(found)
    assert codes(look(root, text, allow=(DEMO,))) == [("PLAN_REPLACES_CLUSTER", "warning", DEMO)]
    assert codes(look(root, text, allow=(GPU,)))[0] == ("PLAN_REPLACES_CLUSTER", "error", DEMO)


def test_a_group_goes_with_its_cluster(root: Root) -> None:
    text = template() + cluster(flavor="m2") + group(cluster_id=f"{DEMO}.id")
    assert codes(look(root, text)) == [
        ("PLAN_REPLACES_CLUSTER", "error", DEMO),
        ("PLAN_REPLACES_NODEGROUP", "error", GPU),
    ]
    assert codes(look(root, text, allow=(DEMO,)))[1] == ("PLAN_REPLACES_NODEGROUP", "error", GPU)


@pytest.mark.parametrize("change", [{"node_count": 3}, {"cluster_template_id": "t2"}])
def test_a_count_and_another_template_are_in_place(root: Root, change: dict[str, Any]) -> None:
    found = plan_file.load(root.plan(template() + cluster(**change) + group(), STATE))
    assert [(one.address, one.action) for one in found.changes] == [(DEMO, "update")]
    assert guard.examine(found) == ()


def test_another_flavor_of_a_group(root: Root) -> None:
    found = look(root, template() + cluster() + group(flavor_id="m2"))
    assert codes(found) == [("PLAN_REPLACES_NODEGROUP", "error", GPU)]
    assert "flavor_id (m1 -> m2)" in found[0].message


def test_the_bounds_of_a_group_are_in_place(root: Root) -> None:
    assert look(root, template() + cluster() + group(max_node_count=8)) == ()


def test_a_group_or_a_cluster_that_is_taken_out(root: Root) -> None:
    assert codes(look(root, template() + cluster())) == [("PLAN_DELETES_NODEGROUP", "error", GPU)]
    found = look(root, template() + group())
    assert codes(found) == [("PLAN_DELETES_CLUSTER", "error", DEMO)]
    assert "its block is gone from the configuration" in found[0].message


def test_a_cluster_that_only_moved(root: Root) -> None:
    renamed = cluster().replace('"demo" {', '"main" {')
    found = look(root, template() + renamed + group())
    assert "moved { from" in found[0].hint
    moved = f"moved {{\n  from = {DEMO}\n  to = {CLUSTER}.main\n}}\n"
    assert look(root, template() + renamed + group() + moved) == ()


def test_a_template_that_a_cluster_uses(root: Root) -> None:
    """terraform-provider-openstack issue 949."""
    found = look(root, template(flavor="m2") + cluster() + group())
    assert codes(found) == [("TEMPLATE_IN_USE", "error", RESEARCH)]
    assert "'demo'" in found[0].message and "flavor (m1 -> m2)" in found[0].message
    other = STATE | {DEMO: CLUSTER_STATE | {"cluster_template_id": "t9"}}
    assert look(root, template(flavor="m2") + cluster(cluster_template_id="t9") + group(), other) == ()
    assert look(root, template(hidden=True) + cluster() + group()) == ()


FIRST = "lifecycle {\n  create_before_destroy = true\n}"


@pytest.mark.parametrize(
    ("more", "labels", "expected"),
    [
        (FIRST, LABELS | {"max_node_count": "6"}, []),
        (FIRST, {"auto_scaling_enabled": "true"}, [("PLAN_LOSES_LABELS", "error", RESEARCH)]),
        ("", LABELS | {"max_node_count": "6"}, [("TEMPLATE_IN_USE", "error", RESEARCH)]),
    ],
    ids=["a label changes", "a label is lost", "the old one goes first"],
)
def test_a_new_template_upgrades_the_cluster(
    root: Root, more: str, labels: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    text = template(more, labels=labels) + cluster(cluster_template_id=f"{RESEARCH}.id")
    plan = plan_file.load(root.plan(text + group(), STATE, f"-replace={RESEARCH}"))
    assert {one.address: one.action for one in plan.changes} == {RESEARCH: "replace", DEMO: "update"}
    assert codes(guard.examine(plan)) == expected


def live(cloud: StubCloud, **values: Any) -> None:
    """What Magnum tells of the cluster and of its workers."""
    cloud.statuses = {"/clusters/c1": ["CREATE_COMPLETE"], "/clusters/c1/nodegroups/w": ["CREATE_COMPLETE"]}
    count = values.pop("node_count", 1)
    told = {"flavor_id": "m1", "master_flavor_id": "m1", "coe_version": "v1.36.3", "stack_id": "s", "user_id": "u"}
    told |= {
        key: CLUSTER_STATE[key] for key in ("name", "cluster_template_id", "keypair", "create_timeout", "project_id")
    }
    told |= {key: CLUSTER_STATE[key] for key in ("master_count", "api_address", "created_at", "updated_at")}
    cloud.values = {
        "/clusters/c1": told | {"labels": LABELS, "node_count": count} | values,
        "/clusters/c1/nodegroups/w": {"name": "default-worker", "is_default": True, "node_count": count},
    }


def test_an_autoscaler_that_has_grown_the_cluster(root: Root, cloud: StubCloud) -> None:
    """opentelekomcloud/terraform-provider-opentelekomcloud issue 1255."""
    live(cloud, node_count=6)
    state = {DEMO: CLUSTER_STATE | {"node_count": 2}}
    found = look(root, cluster(node_count=2), state, refresh=True)
    assert codes(found) == [("AUTOSCALER_CONFLICT", "error", DEMO)]
    assert "configured 2, live 6" in found[0].message
    ignoring = cluster("lifecycle {\n  ignore_changes = [node_count]\n}", node_count=2)
    assert look(root, ignoring, state, refresh=True) == ()


def test_a_count_without_an_autoscaler(root: Root, cloud: StubCloud) -> None:
    live(cloud, node_count=6, labels={"a": "1"})
    state = {DEMO: CLUSTER_STATE | {"node_count": 2, "labels": {"a": "1"}}}
    assert look(root, cluster(node_count=2, labels={"a": "1"}), state, refresh=True) == ()


def test_merged_labels_converge(root: Root, cloud: StubCloud) -> None:
    """terraform-provider-openstack issue 1327: one label equal to the template's own."""
    merged = LABELS | {"monitoring_enabled": "true", "kube_tag": "v1.36.3"}
    live(cloud, labels=merged, labels_added={"max_node_count": "3"}, labels_overridden={}, labels_skipped={})
    text = cluster(merge_labels=True)
    state = {DEMO: CLUSTER_STATE | {"merge_labels": True}}
    plan = plan_file.load(root.plan(text, state, refresh=True))
    assert plan.empty
    assert [item.path for change in plan.drift for item in change.attributes if "labels" in item.path] == []


def test_an_imported_cluster_with_merged_labels(root: Root, cloud: StubCloud) -> None:
    """terraform-provider-openstack pull request 1435: what an import leaves in the state has no merge_labels."""
    live(cloud, labels=LABELS | {"kube_tag": "v1.36.3"})
    state = {DEMO: CLUSTER_STATE | {"labels": LABELS | {"kube_tag": "v1.36.3"}}}
    found = look(root, cluster(merge_labels=True), state, refresh=True)
    assert codes(found) == [("MERGE_LABELS_NOT_READABLE", "warning", DEMO), ("PLAN_REPLACES_CLUSTER", "error", DEMO)]
    ignoring = cluster("lifecycle {\n  ignore_changes = [merge_labels, labels]\n}", merge_labels=True)
    assert look(root, ignoring, state, refresh=True) == ()


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [((), 1, ["error"]), (("--allow", DEMO), 0, ["warning"]), (("--allow", GPU), 1, ["error", "warning"])],
)
def test_the_command(root: Root, words: tuple[str, ...], status: int, expected: list[str]) -> None:
    file = root.plan(template() + cluster(labels=LABELS | {"max_node_count": "6"}) + group(), STATE)
    done = magflow("check", "--plan", str(file), "--json", *words)
    assert done.returncode == status, done.stderr
    report = json.loads(done.stdout)
    assert report["exit_code"] == status
    assert [finding["severity"] for finding in report["findings"]] == expected
    assert "PRIVATE KEY" not in done.stdout


def test_the_command_on_what_is_no_plan(root: Root) -> None:
    root.plan(ALL, STATE)
    done = magflow("check", "--plan", str(root.folder / "plan.bin"))
    assert done.returncode == 2
    assert "which only Terraform can read" in done.stderr and "show -json" in done.stderr
    state = magflow("check", "--plan", str(root.folder / "terraform.tfstate"))
    assert state.returncode == 2 and "is a state" in state.stderr


def magflow(*words: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("magflow")
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)
