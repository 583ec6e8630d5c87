"""Faults as data: what may be asked for, which clusters are meant, how often it is played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from magflow_sandbox.cli import app
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.model import KINDS, Api, CreateFailed, LeaveBehind, NodeNotReady, Stuck, make
from magflow_sandbox.faults.reasons import CREATE_FAILED, MACHINE_FAILED
from magflow_sandbox.faults.store import Store
from magflow_sandbox.home import Home


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(Home(tmp_path / "home").create())


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("*", True),
        ("train", True),
        ("Train", True),
        ("tr*", True),
        ("train-abcdefghijkl", True),
        ("other", False),
        ("train-b", False),
        ("rain", False),
    ],
)
def test_a_cluster_is_known_by_its_name_or_stack(pattern: str, meant: bool) -> None:
    assert Stuck(cluster=pattern).concerns("train-abcdefghijkl") is meant


def test_a_long_name_is_known_by_what_the_driver_keeps_of_it() -> None:
    name = "a-name-that-is-longer-than-the-driver-keeps"
    assert Stuck(cluster=name).concerns(f"{name[:30]}-abcdefghijkl")


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("stuck", {"at": "nowhere"}, "one of infrastructure, api, nodes, status"),
        ("create-failed", {"reason": "bad luck"}, "no-valid-host"),
        ("machine-failed", {"reason": "bad luck"}, "no-valid-host"),
        ("node-not-ready", {"how": "sad"}, "not-ready, dead, absent"),
        ("node-not-ready", {"count": -1}, "below 0"),
        ("delete-blocked", {"by": "nobody"}, "security-group, network, finalizer"),
        ("leave-behind", {"what": "server"}, "floating-ip"),
        ("api", {"service": "heat"}, "keystone, glance"),
        ("api", {"answer": "200"}, "400 to 599"),
        ("api", {"answer": "perhaps"}, "slow, reset, lost, ignored"),
        ("stale-status", {"requests": -1}, "below 0"),
        ("stuck", {"wrong": "x"}, "has no option wrong"),
        ("meteor", {}, "there is no fault"),
    ],
)
def test_what_cannot_be_played_is_refused(kind: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(SandboxError) as refused:
        make(kind, options)
    assert said in str(refused.value)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_defaults_and_survives_its_file(kind: str, store: Store) -> None:
    fault = make(kind, {})
    name = store.set(fault)
    (found,) = store.active()
    assert (found.id, found.fault.kind, found.used, found.spent) == (name, kind, 0, False)
    assert found.fault.options() == fault.options()


def test_the_conductor_is_given_the_text(store: Store) -> None:
    store.set(CreateFailed(reason="quota"))
    store.set(CreateFailed(reason="quota", text="another"))
    listed = json.loads(store.path.read_text())["faults"]
    assert [item["options"]["text"] for item in listed] == [CREATE_FAILED["quota"].text, "another"]


def test_every_reason_has_a_text_and_a_source() -> None:
    for reason in (*CREATE_FAILED.values(), *MACHINE_FAILED.values()):
        assert reason.text and reason.source
    assert all(reason.condition for reason in MACHINE_FAILED.values())


def test_ids_are_counted_and_the_same_fault_is_one(store: Store) -> None:
    first, second = store.set(Stuck()), store.set(Stuck(at="nodes"))
    assert (first, second) == ("stuck-1", "stuck-2")
    assert store.set(Stuck()) == first
    assert len(store.active()) == 2


def test_one_a_kind_or_all_are_cleared(store: Store) -> None:
    for fault in (Stuck(), Stuck(at="nodes"), Api(), NodeNotReady()):
        store.set(fault)
    assert store.clear("stuck-2") == ["stuck-2"]
    assert store.clear("stuck") == ["stuck-1"]
    assert [item.id for item in store.active()] == ["api-1", "node-not-ready-1"]
    with pytest.raises(SandboxError, match="fault stuck is not set"):
        store.clear("stuck")
    assert store.clear() == ["api-1", "node-not-ready-1"]
    assert store.active() == [] and store.clear() == []


def test_a_fault_is_spent_when_it_was_played_often_enough(store: Store) -> None:
    name = store.set(Api(count=2))
    played = store.marks / name / "used"
    played.parent.mkdir(parents=True)
    played.write_bytes(b"..")
    (found,) = store.active()
    assert (found.used, found.spent) == (2, True)
    # asked for again, it is another one
    assert store.set(Api(count=2)) == "api-2"
    store.clear(name)
    assert not played.exists()


def test_something_is_done_once_for_a_fault(store: Store) -> None:
    assert not store.noted("leave-behind-1", "train")
    store.note("leave-behind-1", "train")
    assert store.noted("leave-behind-1", "train") and not store.noted("leave-behind-1", "other")
    store.clear()
    assert not store.noted("leave-behind-1", "train")


def test_a_file_that_does_not_read_is_told_and_can_be_cleared(store: Store) -> None:
    store.path.write_text("{")
    with pytest.raises(SandboxError, match="the faults do not read"):
        store.active()
    store.clear()
    assert store.active() == []


def test_without_a_sandbox_there_are_no_faults(tmp_path: Path) -> None:
    nowhere = Store(Home(tmp_path / "nowhere"))
    assert nowhere.active() == [] and nowhere.clear() == []
    with pytest.raises(SandboxError, match="there is no sandbox"):
        nowhere.set(Stuck())


def test_the_commands(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAGFLOW_SANDBOX_HOME", str(store.home.path))

    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, ["fault", *words])
        assert done.exit_code == code, done.output
        return done.output

    assert "no fault is set" in run("list")
    assert run("set", "stuck", "--cluster", "train", "--at", "status") == "stuck-1\n"
    assert run("set", "api", "--service", "glance", "--method", "get", "--answer", "reset") == "api-1\n"
    assert run("set", "leave-behind", "volume") == "leave-behind-1\n"
    assert run("set", "leave-behind", "image") == "api-2\n"
    assert "one of infrastructure" in run("set", "stuck", "--at", "nowhere", code=2)
    assert "stuck-1: cluster=train, at=status" in run("list")
    listed = {item["id"]: item for item in json.loads(run("list", "--json"))}
    assert listed["api-1"]["options"]["method"] == "GET"
    assert listed["api-2"]["options"]["answer"] == "ignored"
    assert run("clear", "api") == "cleared api-1, api-2\n"
    assert "is not set" in run("clear", "api", code=2)
    assert run("clear") == "cleared stuck-1, leave-behind-1\n"
    assert run("clear") == "no fault was set\n"


def test_every_kind_has_a_command() -> None:
    shown = CliRunner().invoke(app, ["fault", "set", "--help"]).output
    assert all(kind in shown for kind in KINDS)
    assert "port" in LeaveBehind.choices["what"]
