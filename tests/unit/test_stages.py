"""The stages hold together: one word for each thing, an order that can be kept, checks with their own ids."""

import pytest

from magflow import paths, stages
from magflow.checks.preflight import PREFLIGHT
from magflow.errors import CannotTell
from magflow.settings import Stages
from magflow.stages.model import Playbook


def test_settings_switch_every_stage_and_no_other():
    assert list(Stages.model_fields) == [stage.name for stage in stages.STAGES]


def test_a_stage_comes_after_what_it_needs():
    seen = set()
    for stage in stages.STAGES:
        assert set(stage.after) <= seen
        seen.add(stage.name)


@pytest.mark.parametrize("stage", stages.STAGES, ids=lambda stage: stage.name)
def test_a_stage_has_checks_and_one_word(stage):
    assert stage.checks
    assert (paths.root() / "src" / "magflow" / "checks" / f"{stage.name}.py").is_file()
    if isinstance(stage.step, Playbook):
        assert stage.step.playbook == stage.name
        assert (paths.root() / "playbooks" / f"{stage.name}.yml").is_file()
        assert (paths.root() / "roles" / stage.name / "tasks" / "main.yml").is_file()


def test_check_ids_are_unique():
    ids = [check.id for check in PREFLIGHT] + [check.id for stage in stages.STAGES for check in stage.checks]
    assert len(ids) == len(set(ids))


def test_an_unknown_stage_names_the_known_ones():
    with pytest.raises(CannotTell) as error:
        stages.named("kubeflo")
    assert "training_operator" in error.value.hint
