"""The command: every cluster of the environment, or one; its exit code; nothing but looks."""

import json
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from magflow.checks.diagnosis import Diagnosis, Verdict
from magflow.cli import app
from magflow.cli.diagnose import exit_code
from magflow.cloud.evidence import Evidence
from magflow.cloud.magnum import Held
from magflow.engine import diagnose as engine
from magflow.engine.journal import Journal
from magflow.engine.run_folder import RunFolder
from magflow.errors import CannotTell


@pytest.fixture
def run(tmp_path):
    return RunFolder("env", tmp_path).create()


@pytest.fixture
def world(sandbox):
    return SimpleNamespace(settings=sandbox.settings, cloud=None)


def test_when_a_deletion_was_asked_for_is_read_from_the_journal(run):
    journal = Journal(run.journal)
    assert engine.asked_to_delete(journal) == ""
    journal.write("destroy_started")
    first = engine.asked_to_delete(journal)
    journal.write("destroy_started")
    assert engine.asked_to_delete(journal) == first != ""
    journal.write("destroy_finished")
    assert engine.asked_to_delete(journal) == ""


def test_two_clusters_of_one_name_are_both_diagnosed(run, world, monkeypatch):
    name = world.settings.cluster.name
    there = [Held("c1", name, "CREATE_COMPLETE"), Held("c2", name, "X"), Held("c3", "other", "X")]
    monkeypatch.setattr(engine.magnum, "clusters", lambda _cloud: there)
    seen = []

    def gather(_world, _run, identifier, called, _management):
        seen.append(identifier)
        return Evidence(
            called, "2026-01-01T00:00:00+00:00", cluster={"uuid": identifier, "name": called, "status": "X"}
        )

    monkeypatch.setattr(engine, "gather", gather)
    found = engine.clusters(world, run)
    assert seen == ["c1", "c2"]
    assert [item.diagnosis.id for item in found] == ["c1", "c2"]


def test_a_cluster_that_magnum_does_not_know_is_told(run, world, monkeypatch):
    monkeypatch.setattr(engine.magnum, "clusters", lambda _cloud: [])
    (found,) = engine.clusters(world, run)
    assert (found.diagnosis.cluster, found.diagnosis.verdict) == (world.settings.cluster.name, "NOT_FOUND")
    with pytest.raises(CannotTell, match="no cluster 'nope'"):
        engine.clusters(world, run, only="nope")


@pytest.mark.parametrize(("codes", "exit"), [([0, 0], 0), ([0, 2], 2), ([2, 1], 1), ([], 2)])
def test_the_exit_code_of_several(codes, exit):
    assert exit_code(codes) == exit


def test_the_command_prints_lines_or_json(monkeypatch):
    diagnosis = Diagnosis("demo", "c1", Verdict.STATUS_STALE, evidence=("age 82 min",))
    found = [engine.Diagnosed(diagnosis, Evidence("demo", "now"))]
    monkeypatch.setattr(engine, "clusters", lambda *_args, **_options: found)
    said = CliRunner().invoke(app, ["diagnose", "sandbox"])
    assert said.exit_code == 1
    assert said.stdout.splitlines()[:2] == [
        "cluster demo (c1): STATUS_STALE, it can be used; Magnum's status was not brought up to date",
        "  age 82 min",
    ]
    data = json.loads(CliRunner().invoke(app, ["diagnose", "sandbox", "--json"]).stdout)
    assert data["clusters"][0]["verdict"] == "STATUS_STALE"


def test_what_cannot_be_diagnosed_is_said():
    said = CliRunner().invoke(app, ["diagnose", "sandbox", "weather"])
    assert isinstance(said.exception, CannotTell)
