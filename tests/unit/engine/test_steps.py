"""A stage's digest changes with what its step is given, and with nothing else."""

import pytest

from magflow import stages
from magflow.checks.world import World
from magflow.engine.run_folder import RunFolder
from magflow.engine.steps import digest


@pytest.fixture
def digests(sandbox, tmp_path):
    def take(settings=sandbox.settings):
        run = RunFolder("env", tmp_path)
        world = World(settings=settings, kubeconfig=run.kubeconfig)
        return {stage.name: digest(stage, run, world) for stage in stages.STAGES}

    return take


def differing(one, other):
    return {name for name in one if one[name] != other[name]}


def test_equal_inputs_have_equal_digests(digests):
    assert digests() == digests()


@pytest.mark.parametrize(
    ("part", "change", "stages_of"),
    [
        ("training", {"operator": "v1.9.3"}, {"training_operator"}),
        ("smoke", {"workers": 5}, {"smoke"}),
        ("ingress", {"domain": "sslip.io"}, {"ingress"}),
        ("network", {"driver": "cilium"}, {"cluster"}),
        ("cloud", {"time_scale": 9.0}, {"cluster"}),
        ("terraform", {"clusters_at_once": 9}, set()),
    ],
)
def test_a_change_concerns_the_stages_that_use_it(digests, sandbox, part, change, stages_of):
    changed = getattr(sandbox.settings, part).model_copy(update=change)
    assert differing(digests(), digests(sandbox.settings.model_copy(update={part: changed}))) == stages_of
