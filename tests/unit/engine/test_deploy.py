"""Deploy runs stages in order, stops at the first that fails, and goes on from there."""

import dataclasses

import pytest

from magflow import settings_file, stages
from magflow.checks.model import Problem, check
from magflow.engine import deploy as engine
from magflow.engine.journal import Journal
from magflow.engine.run_folder import RunFolder
from magflow.engine.steps import StepResult
from magflow.errors import CannotTell, MagflowError


class Silent:
    """A progress that nobody sees."""

    def __getattr__(self, _name):
        return lambda *args, **kwargs: None


class Pipeline:
    """The real engine over steps and checks that do as told."""

    def __init__(self, environment, run, monkeypatch):
        self.environment, self.run = environment, run
        self.ran = []
        self.broken_steps, self.broken_checks = set(), set()
        self.digests = {}
        monkeypatch.setattr(engine, "PREFLIGHT", (check("pre", "all is ready")(self._probe("preflight")),))
        monkeypatch.setattr(engine, "run_step", self._step)
        monkeypatch.setattr(engine, "digest", lambda stage, *_: self.digests.get(stage.name, "same"))
        monkeypatch.setattr(engine, "open_world", lambda env, run: self._world(env, run))
        fake = tuple(
            dataclasses.replace(
                stage, after=(), checks=(check(f"{stage.name}-stands", "it stands")(self._probe(stage.name)),)
            )
            for stage in stages.STAGES
        )
        monkeypatch.setattr(stages, "STAGES", fake)

    def deploy(self, **options):
        self.ran = []
        return engine.deploy(self.environment, self.run, Silent(), **options)

    def _world(self, env, run):
        from magflow.checks.world import World

        return World(settings=env.settings, kubeconfig=run.kubeconfig)

    def _step(self, stage, _run, _world, _tell, _allow):
        self.ran.append(stage.name)
        if stage.name in self.broken_steps:
            raise MagflowError(f"{stage.name} broke")
        return StepResult(1, "done")

    def _probe(self, name):
        def probe(_world):
            if name in self.broken_checks:
                raise Problem(f"{name} is not well", final=True)

        return probe


@pytest.fixture
def pipeline(sandbox, tmp_path, monkeypatch):
    return Pipeline(sandbox, RunFolder("env", tmp_path).create(), monkeypatch)


ALL = [stage.name for stage in stages.enabled(settings_file.load("sandbox").settings)]


def test_all_stages_run_in_order_each_time(pipeline):
    assert pipeline.deploy().exit_code == 0
    assert pipeline.ran == ALL
    assert pipeline.deploy().exit_code == 0
    assert pipeline.ran == ALL


def test_a_broken_step_stops_and_the_next_deploy_goes_on_from_it(pipeline):
    pipeline.broken_steps = {"ingress"}
    done = pipeline.deploy()
    assert (done.exit_code, done.error.what) == (1, "ingress broke")
    assert pipeline.ran == ALL[: ALL.index("ingress") + 1]
    pipeline.broken_steps = set()
    done = pipeline.deploy()
    assert pipeline.ran == ["ingress", "smoke"]
    assert [stage.outcome for stage in done.stages] == ["kept", "kept", "kept", "deployed", "deployed"]


def test_a_failed_check_stops_too(pipeline):
    pipeline.broken_checks = {"node_pools"}
    done = pipeline.deploy()
    assert done.exit_code == 1
    assert done.error.hint == "go on with: magflow deploy sandbox"
    assert pipeline.ran == ["cluster", "node_pools"]


def test_a_kept_stage_is_run_again_when_its_inputs_changed(pipeline):
    pipeline.broken_steps = {"smoke"}
    pipeline.deploy()
    pipeline.broken_steps, pipeline.digests = set(), {"node_pools": "other"}
    pipeline.deploy()
    assert pipeline.ran == ["node_pools", "smoke"]


def test_a_kept_stage_is_run_again_when_its_checks_fail_now(pipeline):
    pipeline.broken_steps = {"smoke"}
    pipeline.deploy()
    pipeline.broken_steps, pipeline.broken_checks = set(), {"cluster"}
    done = pipeline.deploy()
    assert pipeline.ran == ["cluster"]
    assert done.exit_code == 1


def test_a_kill_in_the_middle_of_a_stage_runs_that_stage_again(pipeline):
    journal = Journal(pipeline.run.journal)
    journal.write("stage_finished", stage="cluster", digest="same", seconds=1)
    journal.write("stage_started", stage="node_pools")
    pipeline.deploy()
    assert pipeline.ran == ALL[1:]


def test_a_bad_preflight_changes_nothing(pipeline):
    pipeline.broken_checks = {"preflight"}
    done = pipeline.deploy()
    assert (done.exit_code, done.error.hint) == (1, "nothing was changed")
    assert pipeline.ran == []


def test_from_and_only(pipeline):
    pipeline.deploy(start="ingress")
    assert pipeline.ran == ["ingress", "smoke"]
    pipeline.deploy(only="node_pools")
    assert pipeline.ran == ["node_pools"]


def test_a_stage_that_is_switched_off_cannot_be_asked_for(pipeline, changed):
    from magflow import settings_file

    pipeline.environment = settings_file.load(changed(lambda d: d.update(stages={"smoke": False})))
    assert pipeline.deploy().exit_code == 0
    assert pipeline.ran == ALL[:-1]
    with pytest.raises(CannotTell, match="switched off"):
        pipeline.deploy(only="smoke")


def test_reports_are_left_by_a_failed_deploy_too(pipeline):
    pipeline.broken_checks = {"cluster"}
    pipeline.deploy()
    assert '"cluster-stands"' in pipeline.run.checks_json.read_text()
    assert "cluster is not well" in pipeline.run.checks_junit.read_text()
