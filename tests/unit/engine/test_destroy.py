"""Destroy lets every cluster give back what it made first, takes the stacks in reverse, and forgets nothing it knew."""

import json
from types import SimpleNamespace

import pytest

from magflow.cloud.magnum import Held
from magflow.cloud.ownership import Mark, Marks
from magflow.engine import destroy as engine
from magflow.engine.destroy import proof
from magflow.engine.journal import Journal
from magflow.engine.run_folder import RunFolder
from magflow.errors import MagflowError
from magflow.kube.errors import Unauthorized, Unreachable


class Silent:
    def __getattr__(self, _name):
        return lambda *args, **kwargs: None


@pytest.fixture
def run(tmp_path):
    return RunFolder("env", tmp_path).create()


@pytest.fixture
def world(sandbox):
    return SimpleNamespace(settings=sandbox.settings, cloud=None, known_facts=None)


def held(name="demo", status="CREATE_COMPLETE", id="c1"):
    return Held(id, name, status, stack_id=f"{name}-abcdefghijkl")


@pytest.fixture
def magnum(monkeypatch):
    """A Magnum that has these clusters; each can be shown."""
    there = []
    monkeypatch.setattr(engine.magnum, "clusters", lambda _cloud: there)
    monkeypatch.setattr(engine.magnum, "show", lambda _cloud, id: {"uuid": id, "name": "demo", "api_address": "x"})
    monkeypatch.setattr(proof.marking, "of_cluster", lambda _cloud, told: Marks((Mark(told["uuid"], told["name"]),)))
    return there


@pytest.mark.parametrize("error", [Unreachable("no answer"), Unauthorized("expired")])
def test_a_cluster_that_does_not_answer_does_not_stop_the_teardown(run, world, magnum, monkeypatch, error):
    def refuse(*_words):
        raise error

    monkeypatch.setattr(engine, "open_cluster", refuse)
    words, told = engine._release(world, run, Silent(), held())
    assert "it does not answer" in words
    assert told == Marks()


def test_a_failed_cluster_without_a_certificate_does_not_stop_it_and_a_whole_one_does(run, world, magnum, monkeypatch):
    def refuse(*_words):
        raise MagflowError("no certificate")

    monkeypatch.setattr(engine, "open_cluster", refuse)
    assert "no certificate" in engine._release(world, run, Silent(), held(status="CREATE_FAILED"))[0]
    with pytest.raises(MagflowError, match="no certificate"):
        engine._release(world, run, Silent(), held())


def test_a_cluster_that_is_being_deleted_is_not_asked(run, world, magnum):
    assert "already" in engine._release(world, run, Silent(), held(status="DELETE_IN_PROGRESS"))[0]


def test_marks_are_remembered_from_destroys_before(run, world, magnum):
    first = Marks((Mark("c1", "demo", "demo-abcdefghijkl"),), {"volume": frozenset({"v1"})})
    journal = Journal(run.journal)
    journal.write("destroy_started", marks=first.as_dict())
    journal.write("marked", marks=Marks(made={"volume": frozenset({"v2"})}).as_dict())
    found = proof.gather(world, run)
    assert found.clusters == first.clusters
    assert found.made["volume"] == {"v1", "v2"}
    journal.write("destroy_finished")
    assert proof.gather(world, run).clusters == first.clusters  # the proof can be asked for again


def test_marks_of_an_older_journal_are_no_hindrance(run, world, magnum):
    Journal(run.journal).write("destroy_started", marks=["demo", "demo-abcdefghijkl"])
    assert proof.gather(world, run) == Marks()


def test_a_cluster_of_our_name_is_a_strangers_unless_a_run_was_killed_while_making_it(run, world, magnum):
    magnum.append(held(world.settings.cluster.name, id="stranger"))
    assert proof.gather(world, run).clusters == ()
    journal = Journal(run.journal)
    journal.write("stage_started", stage="cluster")
    assert [mark.id for mark in proof.gather(world, run).clusters] == ["stranger"]
    journal.write("stage_finished", stage="cluster", digest="", seconds=1)
    assert proof.gather(world, run).clusters == ()


def test_what_terraforms_state_manages_is_ours_and_what_it_looked_up_is_not(run, world, magnum):
    def resource(mode, kind, id):
        return {"mode": mode, "type": kind, "instances": [{"attributes": {"id": id}}]}

    state = {
        "resources": [
            resource("managed", "openstack_containerinfra_cluster_v1", "c1"),
            resource("managed", "openstack_images_image_v2", "i1"),
            resource("data", "openstack_images_image_v2", "i2"),
            resource("managed", "openstack_compute_keypair_v2", "key"),
            resource("managed", "terraform_data", "x"),
        ]
    }
    (run.terraform / "terraform.tfstate").write_text(json.dumps(state))
    magnum += [held(id="c1"), held(id="c2")]
    found = proof.gather(world, run)
    assert [mark.id for mark in found.clusters] == ["c1"]
    assert found.made == {"cluster": {"c1"}, "image": {"i1"}, "keypair": {"key"}}


def test_a_state_that_cannot_be_read_is_an_error(run, world, magnum):
    (run.terraform / "terraform.tfstate").write_text("{")
    with pytest.raises(MagflowError, match="cannot read Terraform's state"):
        proof.gather(world, run)


def test_each_leftover_is_a_finding_with_its_command(run, world, monkeypatch):
    left = proof.Leftover("neutron", "port", "p1", "", "openstack port delete p1")
    inventory = SimpleNamespace(left=[left], looked=["neutron"], unseen=["trust"])
    monkeypatch.setattr(proof.leftovers, "find", lambda _cloud, _marks: inventory)
    (result,) = proof.prove(Marks(), world, Silent(), patient=False)
    assert result.outcome == "failed"
    assert result.evidence == "1 left: 1 x port; not seen: trust"
    (finding,) = result.findings
    assert (finding.code, finding.path, finding.hint) == (
        "LEFT_BEHIND", "neutron port p1", "openstack port delete p1",
    )  # fmt: skip
