"""`magflow check` of one thing: exit codes, JSON alone on standard output, and what does not go together."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLAN = Path(__file__).parent / "data" / "plan-replaces-cluster.json"
ADDRESS = "module.cluster.openstack_containerinfra_cluster_v1.this"


def magflow(*words):
    program = Path(sys.executable).with_name("magflow")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name one thing to look at; got none"),
        (("sandbox", "--plan", "p.json"), "got ENV and --plan"),
        (("--plan", "p.json", "--terraform", "."), "got --plan and --terraform"),
        (("sandbox", "--allow", "a.b"), "--allow goes with --plan"),
        (("--terraform", ".", "--offline"), "--offline goes with ENV"),
        (("--plan", "none.json"), "cannot read the plan: No such file or directory"),
        (("--terraform", "none"), "there is no such folder"),
    ],
)
def test_usage(words, said):
    done = magflow("check", *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_a_plan_that_stops_and_its_json():
    done = magflow("check", "--plan", str(PLAN), "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    (finding,) = report.pop("findings")
    assert report == {"target": "plan", "path": str(PLAN), "summary": "1 replaced", "exit_code": 1}
    assert (finding["code"], finding["path"]) == ("PLAN_REPLACES_CLUSTER", ADDRESS)
    assert "PRIVATE KEY" not in done.stdout + done.stderr


def test_what_is_allowed_is_told_and_passes():
    done = magflow("check", "--plan", str(PLAN), "--allow", ADDRESS)
    assert done.returncode == 0
    assert f"warning {ADDRESS}" in done.stdout and "(allowed)" in done.stdout


def test_a_plan_from_standard_input():
    program = Path(sys.executable).with_name("magflow")
    done = subprocess.run(
        [program, "check", "--plan", "-", "--json"], input=PLAN.read_bytes(), capture_output=True, check=False
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"][0]["path"] == ADDRESS


@pytest.mark.parametrize(("sensitive", "status"), [("true", 0), ("false", 1)])
def test_files(tmp_path, sensitive, status):
    text = "openstack_containerinfra_cluster_v1.demo.kubeconfig.raw_config"
    (tmp_path / "main.tf").write_text(f'output "kubeconfig" {{\n  value = {text}\n  sensitive = {sensitive}\n}}\n')
    done = magflow("check", "--terraform", str(tmp_path))
    assert done.returncode == status
    assert ("nothing found" in done.stdout) == (status == 0)
