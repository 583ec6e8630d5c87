"""Destroy lets the cluster give back what it made in the cloud first, and proves that nothing is left."""

from types import SimpleNamespace

import pytest

from magflow.engine import destroy as engine
from magflow.engine.journal import Journal
from magflow.engine.run_folder import RunFolder
from magflow.errors import MagflowError
from magflow.kube.errors import Unauthorized, Unreachable


class Silent:
    def __getattr__(self, _name):
        return lambda *args, **kwargs: None


class Kube:
    """A cluster that holds some things; what is deleted goes after so many looks."""

    def __init__(self, *things, stays=0):
        self.things, self.stays, self.deleted = list(things), stays, []

    def each(self, _version, kind):
        if self.deleted and not self.stays:
            self.things = [t for t in self.things if t["metadata"]["name"] not in self.deleted]
        self.stays = max(0, self.stays - 1)
        return [thing for thing in self.things if thing["kind"] == kind]

    def delete(self, _version, _kind, name, _namespace):
        self.deleted.append(name)


def thing(kind, name, **spec):
    return {"kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


@pytest.fixture
def run(tmp_path):
    run = RunFolder("env", tmp_path).create()
    run.kubeconfig.write_text("here")
    return run


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch):
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _seconds: None)


def release(kube, run, sandbox):
    return engine._release(SimpleNamespace(kube=kube, settings=sandbox.settings), run, Silent())


def test_load_balancers_and_claims_go_first(run, sandbox):
    kube = Kube(
        thing("Service", "web", type="LoadBalancer"), thing("Service", "api"), thing("PersistentVolumeClaim", "data")
    )
    assert release(kube, run, sandbox) == "no load balancer and no volume is held"
    assert kube.deleted == ["web", "data"]


def test_what_does_not_go_is_told(run, sandbox, monkeypatch):
    monkeypatch.setattr(engine, "RELEASE_WITHIN", 0.0)
    with pytest.raises(MagflowError, match="PersistentVolumeClaim default/data"):
        release(Kube(thing("PersistentVolumeClaim", "data"), stays=99), run, sandbox)


@pytest.mark.parametrize("error", [Unreachable("no answer"), Unauthorized("expired")])
def test_a_cluster_that_does_not_answer_does_not_stop_the_teardown(run, sandbox, error):
    class Dead:
        def each(self, *_words):
            raise error

    assert "the cluster does not answer" in release(Dead(), run, sandbox)


def test_without_a_kubeconfig_nothing_was_asked_for(run, sandbox):
    run.kubeconfig.unlink()
    assert "no kubeconfig" in release(None, run, sandbox)


def test_marks_are_remembered_from_a_destroy_that_did_not_end(tmp_path, sandbox, monkeypatch):
    monkeypatch.setattr(engine.magnum, "clusters", lambda _cloud: [])
    journal = Journal(tmp_path / "journal.jsonl")
    world = SimpleNamespace(settings=sandbox.settings, cloud=None, known_facts=None)
    journal.write("destroy_started", marks=["demo", "demo-abcdefghijkl"])
    assert engine._marks(world, journal) == {"demo", "demo-abcdefghijkl"}
    journal.write("destroy_finished")
    assert engine._marks(world, journal) == {"demo"}
