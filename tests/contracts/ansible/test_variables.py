"""What the handoff gives is what the roles take, and a default stands in one place."""

import pytest
import yaml

from magflow import settings_file
from magflow.handoff import ansible_vars
from magflow.handoff_ansible import CHOICES, TEMPLATE_WORDS, ansible_cluster_vars
from magflow.settings import DEFAULT_WORKER
from magflow.stages import STAGES
from magflow.stages.model import Playbook

from .tools import ROOT

ROLES = sorted(path.name for path in (ROOT / "roles").iterdir())
BESIDE = {"helm_access", "magnum_cluster"}
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


def handed_to_magnum_cluster():
    settings = settings_file.load(str(ROOT / "variables/example.yml")).settings
    workers = {DEFAULT_WORKER: settings.node_groups[DEFAULT_WORKER]}
    return ansible_cluster_vars(settings.model_copy(update={"node_groups": workers}))


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
    given = {*handed(), "kubeconfig"} if role != "magnum_cluster" else set(handed_to_magnum_cluster())
    assert required <= given


def test_whatever_the_handoff_gives_is_taken():
    taken = {name for role in set(ROLES) - BESIDE for name in options(role)}
    assert set(handed()) - taken == {"magflow_handoff", "node_groups", "stages"}


def test_the_playbooks_set_what_the_handoff_gives():
    tasks = load("playbooks/tasks/handoff.yml")
    (facts,) = (task["ansible.builtin.set_fact"] for task in tasks if "ansible.builtin.set_fact" in task)
    expected = set(handed()) - {"stages", *RENAMED} | {"kubeconfig"} | set().union(*RENAMED.values())
    assert set(facts) == expected


def test_the_role_magnum_cluster_takes_and_the_playbook_sets_what_is_handed_to_it():
    given = handed_to_magnum_cluster()
    assert set(given) | {"magnum_cluster_state", "magnum_cluster_folder"} == set(options("magnum_cluster"))
    tasks = load("playbooks/tasks/handoff_magnum_cluster.yml")
    (facts,) = (task["ansible.builtin.set_fact"] for task in tasks if "ansible.builtin.set_fact" in task)
    assert set(facts) == {*given, "magnum_cluster_folder"}
    for name in ("control_plane", "workers", "network", "template"):
        part = options("magnum_cluster")[f"magnum_cluster_{name}"]["options"]
        assert set(given[f"magnum_cluster_{name}"]) <= set(part), name
    assert set(TEMPLATE_WORDS.values()) == set(options("magnum_cluster")["magnum_cluster_template"]["options"])


def test_what_the_module_for_templates_takes_is_what_we_say_of_it(ansible):
    """Its words and choices; a later openstack.cloud that knows more may let a limit go."""
    done = ansible.run("ansible-doc", "--json", *(f"openstack.cloud.coe_cluster{kind}" for kind in ("", "_template")))
    docs = yaml.safe_load(done.stdout)
    template = docs["openstack.cloud.coe_cluster_template"]["doc"]["options"]
    cluster = docs["openstack.cloud.coe_cluster"]["doc"]["options"]
    assert set(TEMPLATE_WORDS.values()) <= set(template)
    assert {word: tuple(template[word].get("choices") or ()) for word in TEMPLATE_WORDS.values()} == dict.fromkeys(
        TEMPLATE_WORDS.values(), ()
    ) | CHOICES
    assert not {"merge_labels", "fixed_network", "fixed_subnet", "create_timeout", "master_lb_enabled"} & set(cluster)
    listed = ansible.run("ansible-doc", "--json", "-l", "openstack.cloud").stdout
    assert not [name for name in yaml.safe_load(listed) if "nodegroup" in name or "node_group" in name]


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
