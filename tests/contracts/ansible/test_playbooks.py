"""Playbooks without a cluster: they read, and what is wrong with the input is told in a user's words."""

import sys

import pytest
import yaml

from .tools import ROOT

PLAYBOOKS = sorted(path.name for path in (ROOT / "playbooks").glob("*.yml"))
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
EXAMPLE = ROOT / "variables/example.yml"


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_syntax(ansible, playbook):
    done = ansible.playbook(ROOT / "playbooks" / playbook, "--syntax-check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_has_documentation(ansible):
    done = ansible.run("ansible-doc", "--json", *(f"magflow.platform.{name}" for name in MODULES))
    assert done.returncode == 0, done.stderr
    documented = yaml.safe_load(done.stdout)
    assert len(documented) == len(MODULES)
    assert all(entry["examples"] and entry["return"] for entry in documented.values())


def test_no_settings(ansible):
    done = ansible.playbook(ROOT / "playbooks/node_pools.yml")
    assert done.returncode == 2
    assert "no settings were given" in done.stdout + done.stderr
    assert "-e @variables/example.yml" in done.stdout + done.stderr


def test_a_typo_in_the_settings_is_told_with_its_line(ansible, tmp_path):
    text = EXAMPLE.read_text()
    assert "keypair:" in text
    file = tmp_path / "mine.yml"
    file.write_text(text.replace("keypair:", "keypiar:", 1))
    done = ansible.playbook(ROOT / "playbooks/site.yml", "-e", f"@{file}")
    said = done.stdout + done.stderr
    assert done.returncode == 2
    assert "unknown key 'keypiar'; did you mean 'keypair'?" in said
    line = next(number for number, line in enumerate(file.read_text().splitlines(), 1) if "keypiar:" in line)
    assert f"{file}:{line}" in said
    assert "Traceback" not in said


def test_no_kubeconfig(ansible, tmp_path):
    done = ansible.playbook(
        ROOT / "playbooks/ingress.yml", "-e", f"@{EXAMPLE}", "-e", f"kubeconfig={tmp_path / 'nope'}"
    )
    assert done.returncode == 2
    assert "there is no kubeconfig" in done.stdout + done.stderr
    assert str(tmp_path / "nope") in done.stdout + done.stderr


def test_nobody_answers(ansible, tmp_path):
    file = tmp_path / "kubeconfig"
    file.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
                "users": [{"name": "u", "user": {"token": "s3cret"}}],
                "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "x",
            }
        )
    )
    done = ansible.playbook(ROOT / "playbooks/ingress.yml", "-vvv", "-e", f"@{EXAMPLE}", KUBECONFIG=str(file))
    said = done.stdout + done.stderr
    assert done.returncode == 2
    assert "the API server does not answer: [Errno 111] Connection refused" in said
    assert "s3cret" not in said


def test_a_python_without_magflow_is_one_clear_failure(ansible, tmp_path):
    bare = tmp_path / "python"
    # -S: no site-packages, so no magflow
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    done = ansible.playbook(
        ROOT / "playbooks/ingress.yml",
        "-e",
        f"@{EXAMPLE}",
        "-e",
        f"ansible_python_interpreter={bare}",
        "-e",
        "kubeconfig=/nowhere",
    )
    said = done.stdout + done.stderr
    assert done.returncode == 2
    assert "Failed to import the required Python library (magflow)" in said
