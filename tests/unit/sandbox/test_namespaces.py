"""The commands by which namespaces are made and entered; nothing is made."""

from __future__ import annotations

import os

import pytest

from magflow_sandbox import namespaces
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.namespaces import Netns
from magflow_sandbox.supervisor import Program, Supervisor


def hold(supervisor: Supervisor, name: str) -> int:
    """A holder that stays in this namespace; its process id."""
    holder = namespaces.holder_name(name)
    supervisor.start(Program(holder, ["sleep", "300"], {"PATH": os.defpath}))
    pid = supervisor.pid(holder)
    assert pid is not None
    return pid


@pytest.mark.parametrize(("root", "user"), [(True, []), (False, ["--user", "--preserve-credentials"])])
def test_entering(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, root: bool, user: list[str]) -> None:
    monkeypatch.setattr(namespaces, "as_root", lambda: root)
    pid = hold(supervisor, "one")
    expected = ["nsenter", f"--target={pid}", *user, "--net", "--", "curl", "-s"]
    assert Netns(supervisor, "one").enter(["curl", "-s"]) == expected
    assert namespaces.enter(supervisor, "one", ["curl", "-s"]) == expected


def test_entering_one_that_is_not_up_is_a_clear_error(supervisor: Supervisor) -> None:
    with pytest.raises(SandboxError, match="network namespace one is not up"):
        Netns(supervisor, "one").enter(["true"])
    assert not Netns(supervisor, "one").ready()


def test_holders_without_root_lie_below_one_user_namespace() -> None:
    assert namespaces.hold_command()[:2] == ["unshare", "--net"]
    below = namespaces.hold_command(42)
    assert below[:5] == ["nsenter", "--target=42", "--user", "--preserve-credentials", "--"]
    assert below[5:] == namespaces.hold_command()


def test_the_namespace_of_the_caller_does_not_count(supervisor: Supervisor) -> None:
    hold(supervisor, "one")
    assert not Netns(supervisor, "one").ready()


@pytest.mark.parametrize("name", ["", "-a", "a b", "A"])
def test_names(supervisor: Supervisor, name: str) -> None:
    with pytest.raises(SandboxError):
        Netns(supervisor, name)
