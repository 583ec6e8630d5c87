"""What the handoff gives is what the roles take, and a default stands in one place."""

import pytest
import yaml

from magflow import settings_file
from magflow.handoff import ansible_vars
from magflow.stages import STAGES
from magflow.stages.model import Playbook

from .tools import ROOT

ROLES = sorted(path.name for path in (ROOT / "roles").iterdir())
BESIDE = {"helm_access"}
"""Roles that are no stage: an operator calls them."""
RENAMED = {"node_groups": {"node_pools_groups", "smoke_groups"}}
"""Flat variables that have a name of the settings themselves: an extra variable cannot be set anew."""


def load(path):
    return yaml.safe_load((ROOT / path).read_text()) if (ROOT / path).is_file() else {}


def options(role):
    return load(f"roles/{role}/meta/argument_specs.yml")["argument_specs"]["main"]["options"]


def handed():
    settings = settings_file.load(str(ROOT / "variables/example.yml")).settings
    return ansible_vars(settings)


def templated(value):
    return isinstance(value, str) and "{{" in value


@pytest.mark.parametrize("role", ROLES)
def test_every_default_is_an_option_and_has_the_same_value(role):
    defaults, known = load(f"roles/{role}/defaults/main.yml"), options(role)
    assert set(defaults) <= set(known)
    for name, value in defaults.items():
        if templated(value):
            assert "default" not in known[name], name
            assert known[name]["required"], name
        else:
            assert known[name]["default"] == value, name
    assert {name for name, option in known.items() if "default" in option} <= set(defaults)


@pytest.mark.parametrize("role", ROLES)
def test_every_option_is_described_and_typed(role):
    assert all(option.get("description") and option.get("type") for option in options(role).values())


@pytest.mark.parametrize("role", ROLES)
def test_the_handoff_gives_what_the_role_requires(role):
    defaults = set(load(f"roles/{role}/defaults/main.yml"))
    required = {name for name, option in options(role).items() if option.get("required")} - defaults
    assert required <= {*handed(), "kubeconfig"}


def test_whatever_the_handoff_gives_is_taken():
    taken = {name for role in set(ROLES) - BESIDE for name in options(role)}
    assert set(handed()) - taken == {"magflow_handoff", "node_groups", "stages"}


def test_the_playbooks_set_what_the_handoff_gives():
    tasks = load("playbooks/tasks/handoff.yml")
    (facts,) = (task["ansible.builtin.set_fact"] for task in tasks if "ansible.builtin.set_fact" in task)
    expected = set(handed()) - {"stages", *RENAMED} | {"kubeconfig"} | set().union(*RENAMED.values())
    assert set(facts) == expected


@pytest.mark.parametrize("role", ROLES)
def test_internal_variables_begin_with_an_underscore(role):
    assert all(name.startswith(f"_{role}_") for name in load(f"roles/{role}/vars/main.yml"))


def test_a_stage_its_playbook_and_its_role_have_one_name():
    names = [stage.name for stage in STAGES if isinstance(stage.step, Playbook)]
    assert {stage.step.playbook for stage in STAGES if isinstance(stage.step, Playbook)} == set(names)
    assert set(names) == set(ROLES) - BESIDE
    for name in ROLES:
        (play,) = load(f"playbooks/{name}.yml")
        assert [entry["role"] for entry in play["roles"]] == [f"magflow.platform.{name}"]


def test_site_runs_the_stages_in_their_order():
    names = [stage.name for stage in STAGES if isinstance(stage.step, Playbook)]
    site = load("playbooks/site.yml")
    assert [play["ansible.builtin.import_playbook"] for play in site] == [f"{name}.yml" for name in names]
    assert [play["when"] for play in site] == [f"(stages | default({{}})).{name} | default(true)" for name in names]
