"""The repository is a collection: it is built, installed and used from another folder."""

import tarfile

import pytest
import yaml

from .tools import ROOT, Ansible

KEPT = {"CHANGELOG.md", "CONTRIBUTING.md", "FILES.json", "LICENSE", "MANIFEST.json", "README.md"}
FOLDERS = {"meta", "playbooks", "plugins", "roles"}


@pytest.fixture(scope="module")
def archive(ansible, tmp_path_factory):
    folder = tmp_path_factory.mktemp("build")
    done = ansible.run("ansible-galaxy", "collection", "build", ROOT, "--output-path", folder)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("magflow-platform-*.tar.gz")
    return built


@pytest.fixture(scope="module")
def installed(ansible, archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    elsewhere = Ansible(folder, folder / "collections")
    done = elsewhere.run(
        "ansible-galaxy", "collection", "install", archive, "--offline", "-p", folder / "collections", cwd=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return elsewhere


def test_it_holds_what_ansible_reads_and_nothing_else(archive):
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    tops = {name.split("/")[0] for name in names}
    assert tops - KEPT == FOLDERS
    assert not [name for name in names if "__pycache__" in name]


def test_versions_agree():
    galaxy = yaml.safe_load((ROOT / "galaxy.yml").read_text())
    assert f'version = "{galaxy["version"]}"' in (ROOT / "pyproject.toml").read_text()


def test_its_roles_are_found_from_another_folder(installed):
    done = installed.run("ansible-doc", "-t", "role", "--json", "-l", "magflow.platform", cwd=installed.scratch)
    roles = {path.name for path in (ROOT / "roles").iterdir()}
    assert set(yaml.safe_load(done.stdout)) == {f"magflow.platform.{role}" for role in roles}


def test_its_playbooks_run_from_another_folder(installed):
    done = installed.run(
        "ansible-playbook",
        "magflow.platform.node_pools",
        "-e",
        f"@{ROOT / 'variables/example.yml'}",
        "-e",
        "kubeconfig=nowhere",
        cwd=installed.scratch,
    )
    assert "there is no kubeconfig" in done.stdout + done.stderr
    assert str(installed.collections) in done.stdout + done.stderr
