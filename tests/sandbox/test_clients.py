"""The four clients of a user speak to the cloud over HTTPS, and each says so when the CA is not the cloud's."""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.sandbox.suite import ROOT, Suite

from magflow import handoff, settings_file
from magflow.engine.terraform.environment import environment

PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    return Suite(home=cloud_home, folder=tmp_path_factory.mktemp("clients"), name="alone")


@pytest.fixture(scope="module")
def misled(suite):
    """A clouds.yaml whose CA is somebody else's."""
    data = yaml.safe_load((suite.home / "clouds.yaml").read_text())
    strangers = suite.folder / "strangers.crt"
    strangers.write_text(Path(ssl.get_default_verify_paths().openssl_cafile).read_text())
    data["clouds"]["sandbox"]["cacert"] = str(strangers)
    file = suite.folder / "misled.yaml"
    file.write_text(yaml.safe_dump(data))
    return file


def run(suite, clouds, *words, cwd=ROOT):
    env = suite.env | {"OS_CLIENT_CONFIG_FILE": str(clouds), "OS_CLOUD": "sandbox", "ANSIBLE_NOCOLOR": "1"}
    return subprocess.run([str(word) for word in words], env=env, cwd=cwd, capture_output=True, text=True, check=False)


CLIENTS = {
    "magnumclient": (PROGRAMS / "openstack", "coe", "cluster", "list", "-f", "json"),
    "sdk": (PROGRAMS / "openstack", "network", "list", "--external", "-f", "json"),
    "ansible": (PROGRAMS / "ansible", "localhost", "-m", "openstack.cloud.auth", "-a", "cloud=sandbox"),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_works_and_a_wrong_ca_is_told(suite, misled, name):
    good = run(suite, suite.home / "clouds.yaml", *CLIENTS[name])
    assert good.returncode == 0, good.stderr
    bad = run(suite, misled, *CLIENTS[name])
    assert bad.returncode != 0
    assert "certificate verify failed" in bad.stdout + bad.stderr


def terraform(suite, clouds, *words):
    """Terraform in the stack's own folder, state and data elsewhere, as the stack's README has it."""
    command, *rest = words
    state = [f"-state={suite.folder / 'alone.tfstate'}"] if command != "init" else []
    variables = (
        [f"-var-file={suite.folder / 'alone.tfvars.json'}", "-parallelism=1"] if command in {"apply", "destroy"} else []
    )
    env = environment({"OS_CLIENT_CONFIG_FILE": str(clouds), "TF_DATA_DIR": str(suite.folder / "terraform")}, suite.env)
    return subprocess.run(
        ["terraform", f"-chdir={ROOT / 'terraform/stacks/cluster'}", command, *state, *variables, *rest, "-no-color"],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_terraform_alone_with_the_stack(suite, misled):
    """Two machines are enough here; the pipeline has the whole cluster."""
    suite.save(lambda d: d["node_groups"].pop("gpu"))
    suite.save(lambda d: d["node_groups"]["default-worker"].update(count=1))
    variables = handoff.terraform_vars(settings_file.load(str(suite.file)).settings)
    (suite.folder / "alone.tfvars.json").write_text(json.dumps(variables))
    clouds = suite.home / "clouds.yaml"
    assert terraform(suite, clouds, "init").returncode == 0
    wrong = terraform(suite, misled, "apply", "-auto-approve")
    assert wrong.returncode == 1
    assert "certificate signed by unknown authority" in wrong.stderr
    made = terraform(suite, clouds, "apply", "-auto-approve")
    assert made.returncode == 0, made.stderr
    assert "client-key-data" not in made.stdout
    facts = json.loads(terraform(suite, clouds, "output", "-json", "facts").stdout)
    assert facts["clusters"][suite.name]["kubernetes"] == "v1.36.3"
    again = terraform(suite, clouds, "apply", "-auto-approve")
    assert "No changes" in again.stdout, again.stdout
    gone = terraform(suite, clouds, "destroy", "-auto-approve")
    assert gone.returncode == 0, gone.stderr
    assert "alone" not in run(suite, clouds, *CLIENTS["magnumclient"]).stdout


def test_magnums_own_words_are_passed_on(suite):
    """A machine below the driver's floor: preflight knows nothing of it, the driver does."""
    suite.save(lambda d: d["cluster"]["control_plane"].update(flavor="bm.tiny"))
    done = suite.magflow("deploy", str(suite.file))
    assert done.returncode == 1
    assert "bm.tiny" in done.stderr.partition("error:")[2] or "flavor" in done.stderr.partition("error:")[2]
    cleaned = suite.magflow("destroy", str(suite.file), "--yes")
    assert cleaned.returncode == 0, cleaned.stderr
