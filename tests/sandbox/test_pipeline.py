"""The main job on the sandbox cloud, as a user runs it: deploy, again, change, break and resume, kill, destroy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sandbox.suite import ROOT, Suite, outcomes

SKIPPED_HERE = {  # of the stages
    # nothing is installed behind the four hosts yet, and no group has taints
    "host-answers-kubeflow",
    "host-answers-tensorboard",
    "host-answers-mnist",
    "host-answers-grafana",
    "taints-are-set",
    # one cluster
    "further-clusters-are-complete",
}
PREFLIGHT_SKIPPED_HERE = {
    # not made yet; neither Placement nor Octavia, and no volumes are asked for
    "kubeconfig-lasts",
    "machines-are-free",
    "quota-of-cinder",
    "quota-of-octavia",
    # a warning: the sandbox has no Octavia, and a port stands for it
    "cloud-services-are-there",
    # a warning: the state is a file with an administrator's key
    "state-is-protected",
}
STAGES = ["cluster", "node_pools", "training_operator", "ingress", "smoke"]
PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    return Suite(home=cloud_home, folder=tmp_path_factory.mktemp("suite"))


def test_deploy_from_nothing_proves_every_stage(suite):
    report = suite.deploy()
    assert [stage["stage"] for stage in report["stages"]] == STAGES
    found = outcomes(report)
    assert {id for id, outcome in found.items() if outcome != "ok"} == SKIPPED_HERE | PREFLIGHT_SKIPPED_HERE
    assert all(check["evidence"] for check in report["checks"] if check["outcome"] == "skipped")


def test_what_it_left_is_private_and_complete(suite):
    names = {
        "settings.json",
        "facts.json",
        "kubeconfig",
        "inventory.json",
        "ansible-vars.json",
        "checks.json",
        "checks.xml",
    }
    assert names <= {path.name for path in suite.run.iterdir()}
    open_to_others = [path for path in suite.run.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    # providers are everybody's, and so are their checksums
    assert [str(path) for path in open_to_others if ".terraform" not in str(path)] == []


def test_no_secret_is_in_logs_journal_or_reports(suite):
    import yaml

    cloud = yaml.safe_load((suite.home / "clouds.yaml").read_text())["clouds"]["sandbox"]
    user = yaml.safe_load((suite.run / "kubeconfig").read_text())["users"][0]["user"]
    secrets = [cloud["auth"]["application_credential_secret"], user["client-key-data"], "PRIVATE KEY"]
    readable = [*suite.run.glob("*.json*"), *suite.run.glob("*.xml"), *(suite.run / "logs").rglob("*")]
    assert len(readable) > 8
    for file in readable:
        text = file.read_text()
        assert not any(secret in text for secret in secrets), file


def test_the_same_again_changes_nothing(suite):
    report = suite.deploy()
    assert {stage["stage"]: stage["changed"] for stage in report["stages"]} == dict.fromkeys(STAGES, 0)
    assert report["stages"][0]["summary"] == "no changes"


def test_verify_looks_at_everything_again(suite):
    report = suite.report("verify", str(suite.file))
    assert {id for id, outcome in outcomes(report).items() if outcome != "ok"} == SKIPPED_HERE


def test_openstack_and_kubectl_work_from_the_host(suite):
    env = suite.env | {"OS_CLIENT_CONFIG_FILE": str(suite.home / "clouds.yaml"), "OS_CLOUD": "sandbox"}
    listed = subprocess.run(
        [PROGRAMS / "openstack", "coe", "cluster", "list", "-f", "json"],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    (cluster,) = json.loads(listed.stdout)
    assert cluster["name"] == suite.name
    assert cluster["status"].endswith("_COMPLETE")
    kubectl = ["kubectl", "--kubeconfig", suite.run / "kubeconfig", "get", "nodes,tfjobs", "-A", "-o", "name"]
    found = subprocess.run(kubectl, env=env, capture_output=True, text=True, check=True).stdout.split()
    assert sum(name.startswith("node/") for name in found) == 4
    assert "tfjob.kubeflow.org/smoke" in found


def test_playbooks_work_without_the_command_line(suite):
    done = subprocess.run(
        [PROGRAMS / "ansible-playbook", "playbooks/site.yml", "-i", "inventories/example", "-e", f"@{suite.file}",
         "-e", f"kubeconfig={suite.run / 'kubeconfig'}"],
        cwd=ROOT, env=suite.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "changed=0" in done.stdout


def test_a_drifted_label_is_found_and_repaired(suite):
    node = next(n for n in suite.kube.nodes() if "-gpu-" in n["metadata"]["name"])
    suite.kube.patch(node, {"metadata": {"labels": {"gputype": "toaster", "mine": "stays"}}})
    done = suite.magflow("verify", str(suite.file), "--stage", "node_pools")
    assert done.returncode == 1
    assert "gputype=toaster, wanted nvidia-tesla-v100" in done.stdout
    assert suite.report("deploy", str(suite.file), "--only", "node_pools")["stages"][0]["changed"] == 1
    labels = suite.kube.get("v1", "Node", node["metadata"]["name"])["metadata"]["labels"]
    assert (labels["gputype"], labels["mine"]) == ("nvidia-tesla-v100", "stays")


def test_scale_and_a_new_group(suite):
    suite.save(lambda d: d["node_groups"]["default-worker"].update(count=3))
    extra = {"flavor": "bm.cpu", "count": 1, "labels": {"pooltype": "unshared"}}
    suite.save(lambda d: d["node_groups"].update(private=extra))
    planned = json.loads(suite.magflow("plan", str(suite.file), "--json").stdout)
    assert sorted(change["action"] for change in planned["changes"]) == ["create", "update"]
    report = suite.deploy()
    assert outcomes(report)["nodes-are-ready"] == "ok"
    assert len(suite.kube.nodes()) == 6
    private = suite.kube.list("v1", "Node", labels="pooltype=unshared")
    assert len(private) == 1


def test_a_plan_that_replaces_the_cluster_is_refused(suite):
    flavor = suite.data["cluster"]["control_plane"]["flavor"]
    suite.save(lambda d: d["cluster"]["control_plane"].update(flavor="bm.cpu"))
    done = suite.magflow("deploy", str(suite.file))
    suite.save(lambda d: d["cluster"]["control_plane"].update(flavor=flavor))
    assert done.returncode == 1
    assert f"the plan would replace cluster '{suite.name}'" in done.stderr
    assert suite.report("verify", str(suite.file), "--stage", "cluster")["exit_code"] == 0


def test_a_failure_in_the_middle_and_the_same_command_goes_on(suite, tmp_path):
    manifests = suite.data["training"]["manifests"]
    broken = tmp_path / "manifests"
    (broken / "base").mkdir(parents=True)
    suite.save(lambda d: d["training"].update(manifests=str(broken)))
    done = suite.magflow("deploy", str(suite.file))
    assert done.returncode == 1
    assert "training_operator" in done.stderr
    suite.save(lambda d: d["training"].update(manifests=manifests))
    report = suite.deploy()
    assert [stage["outcome"] for stage in report["stages"][:2]] == ["kept", "kept"]
    assert [stage["outcome"] for stage in report["stages"][2:]] == ["deployed"] * 3


@pytest.mark.parametrize("stage", STAGES)
def test_killed_in_a_stage_and_run_again(suite, stage):
    before = suite.objects()
    suite.kill_deploy_in(stage, after=0.7)
    report = suite.deploy()
    assert report["exit_code"] == 0
    assert suite.objects() == before


def test_destroy_and_proof(suite):
    report = suite.report("destroy", str(suite.file), "--yes")
    assert outcomes(report) == {"nothing-is-left": "ok"}
    assert not (suite.run / "kubeconfig").exists()
    again = suite.report("destroy", str(suite.file), "--yes")
    assert outcomes(again) == {"nothing-is-left": "ok"}


def test_killed_while_the_cluster_is_made(suite):
    assert suite.kill_deploy_in("cluster", after=8)
    report = suite.deploy()
    assert report["exit_code"] == 0
    assert suite.report("destroy", str(suite.file), "--yes")["exit_code"] == 0
