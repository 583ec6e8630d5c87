"""A stored plan: what is one, and a clear verdict on what is not. All of these are files that people really give."""

import json
import zipfile

import pytest

from magflow.engine.plan import file as plan_file
from magflow.errors import CannotTell

PLAN = {"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": {}, "resource_changes": []}
KIND = "openstack_containerinfra_cluster_v1"


@pytest.fixture
def load(tmp_path):
    def write_and_load(content):
        file = tmp_path / "plan.json"
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content if isinstance(content, str) else json.dumps(content))
        return plan_file.load(file)

    return write_and_load


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.9"])
def test_minor_versions_are_understood(load, version):
    assert load(PLAN | {"format_version": version}).empty


def test_keys_of_later_versions_do_no_harm(load):
    assert load(PLAN | {"checks": [], "applyable": True, "deferred_changes": [{}], "timestamp": "x"}).empty


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_powershell_writes_is_read(load, encoding):
    assert load(json.dumps(PLAN).encode(encoding)).empty


def test_the_plan_itself_is_no_json(load, tmp_path):
    with zipfile.ZipFile(tmp_path / "z", "w") as archive:
        archive.writestr("tfplan", "x")
    with pytest.raises(CannotTell, match="only Terraform can read") as error:
        load((tmp_path / "z").read_bytes())
    assert "terraform show -json PLAN > plan.json (or tofu show -json)" in error.value.hint


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n", "is empty"),
        ("Terraform will perform the following actions:", "is no JSON"),
        (b"\xff\xfe\x00\xd8", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[1]", "no object"),
        ('{"@level":"info","type":"version"}\n{"@level":"info"}', "messages of `terraform plan -json`"),
        ('{"@level":"info","type":"version"}', "messages of `terraform plan -json`"),
        ({"format_version": "1.0", "values": {}, "terraform_version": "1"}, "is a state"),
        ({"version": 4, "lineage": "x", "resources": []}, "is a state"),
        ({"meta": {}, "encrypted_data": "x", "encryption_version": "v0"}, "OpenTofu has encrypted"),
        ({"a": 1}, "no plan"),
        ({"format_version": "1.2"}, "no plan"),
        (PLAN | {"resource_changes": 5}, "has not the form of a plan"),
        (PLAN | {"resource_changes": [{"type": KIND}]}, "has not the form of a plan"),
        (PLAN | {"output_changes": {"a": 1}}, "has not the form of a plan"),
        (PLAN | {"resource_changes": [{"address": "a", "type": KIND, "change": {"actions": 5}}]}, "not the form"),
    ],
)
def test_what_is_no_plan_says_what_it_is(load, content, words):
    with pytest.raises(CannotTell, match=words) as error:
        load(content)
    assert error.value.exit_code == 2
    assert "plan.json" in error.value.where


@pytest.mark.parametrize("version", ["0.2", "2.0"])
def test_another_major_version_cannot_be_told(load, version):
    with pytest.raises(CannotTell, match=f"format version {version}; 1.x is understood"):
        load(PLAN | {"format_version": version})


def test_a_plan_that_failed_half_way_is_no_pass(load):
    with pytest.raises(CannotTell, match="ended in an error"):
        load(PLAN | {"errored": True})


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CannotTell, match="No such file"):
        plan_file.load(tmp_path / "none.json")
