"""The command line: words for errors, exit codes, no traceback; help and version without the heavy libraries."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MAGFLOW = Path(sys.executable).with_name("magflow")


def magflow(*words, **env):
    import os

    done = subprocess.run(
        [MAGFLOW, *words], env=os.environ | {"NO_COLOR": "1"} | env, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("deploy", "nosuch"), 2, "cannot tell: there is no environment 'nosuch'"),
        (("deploy", "nosuch.yml"), 2, "cannot tell: there is no settings file 'nosuch.yml'"),
        (("verify", "sandbox", "--stage", "kubeflo"), 2, "cannot tell: there is no stage 'kubeflo'"),
        (("deploy",), 2, "Missing argument"),
        (("frob",), 2, "No such command 'frob'"),
    ],
)
def test_usage_errors(words, code, said, tmp_path):
    done = magflow(*words, MAGFLOW_RUNS=str(tmp_path))
    assert done.returncode == code
    assert said in done.stderr


def test_a_bad_setting_is_what_where_and_what_to_do(changed):
    done = magflow("check", changed(lambda d: d["cluster"].update(nmae="x")))
    assert done.returncode == 1
    what, where, hint = done.stderr.splitlines()
    assert what == "error: unknown key 'nmae'; did you mean 'name'?"
    assert where.startswith("  where: ") and where.endswith(" cluster.nmae")
    assert hint.startswith("  do: ")


def test_json_is_alone_on_standard_output(changed, tmp_path):
    manifests = tmp_path / "manifests" / "base"
    manifests.mkdir(parents=True)
    file = changed(lambda d: d["training"].update(manifests=str(manifests.parent)))
    done = magflow("check", file, "--offline", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [check["id"] for check in report["checks"]] == ["settings-fit", "workers-are-asked-for", "clouds-file-fits"]


def test_an_environment_that_was_never_deployed_has_a_status(changed, tmp_path):
    done = magflow("status", changed(lambda d: None), "--json", MAGFLOW_RUNS=str(tmp_path))
    assert done.returncode == 0
    assert {stage["standing"] for stage in json.loads(done.stdout)["stages"]} == {"not deployed"}


def test_verify_before_any_deploy_cannot_tell(changed, tmp_path):
    done = magflow("verify", changed(lambda d: None), MAGFLOW_RUNS=str(tmp_path))
    assert done.returncode == 2
    assert "nothing is known of the cluster yet" in done.stdout


def test_help_needs_none_of_the_heavy_libraries():
    heavy = {"openstack", "kubernetes", "pydantic", "ansible_runner"}
    code = f"import sys, magflow.cli; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_sandbox_is_mounted_without_an_import():
    code = "import sys, magflow.cli; print([name for name in sys.modules if name.startswith('magflow_sandbox')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert "sandbox" in magflow("--help").stdout
