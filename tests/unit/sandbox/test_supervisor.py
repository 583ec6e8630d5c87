"""Processes that are started, found again and stopped; real ones, but only `sleep` and shells."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from magflow_sandbox import launch, processes
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.supervisor import Program, Supervisor

ENV = {"PATH": os.defpath}
SOURCE = str(Path(launch.__file__).parents[1])


def sleeper(name: str = "one", seconds: int = 300, after: tuple[str, ...] = ()) -> Program:
    return Program(name, ["sleep", str(seconds)], ENV, after=after)


def test_starting_twice_starts_once(supervisor: Supervisor) -> None:
    assert supervisor.start(sleeper())
    pid = supervisor.pid("one")
    assert not supervisor.start(sleeper())
    assert supervisor.pid("one") == pid


def test_a_changed_definition_restarts(supervisor: Supervisor) -> None:
    supervisor.start(sleeper())
    pid = supervisor.pid("one")
    assert supervisor.start(sleeper(seconds=301))
    assert supervisor.pid("one") != pid
    assert not processes.exists(pid or 0)


def test_another_supervisor_adopts_what_runs(supervisor: Supervisor) -> None:
    supervisor.start(sleeper("group/one"))
    other = Supervisor(supervisor.home)
    assert not other.start(sleeper("group/one"))
    assert other.stop("group/one")
    assert not supervisor.alive("group/one")


def test_a_killed_program_is_dead_and_is_replaced(supervisor: Supervisor) -> None:
    supervisor.start(sleeper())
    pid = supervisor.pid("one")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while supervisor.alive("one") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [(item.name, item.state) for item in supervisor.programs()] == [("one", "dead")]
    assert supervisor.start(sleeper())


def test_a_process_with_the_same_id_is_not_taken_for_ours(supervisor: Supervisor) -> None:
    supervisor.start(sleeper())
    file = supervisor.records / "one.json"
    record = json.loads(file.read_text())
    file.write_text(json.dumps({**record, "ticks": record["ticks"] - 1}))
    assert not supervisor.alive("one")
    file.write_text(json.dumps({**record, "boot": "another"}))
    assert not supervisor.alive("one")
    file.write_text(json.dumps(record))
    assert supervisor.alive("one")


def test_only_the_given_environment_arrives(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/somewhere")
    supervisor.start(Program("env", ["sh", "-c", "env; exec sleep 300"], {**ENV, "MINE": "1"}))
    supervisor.wait("env", lambda: "MINE=1" in supervisor.log("env").read_text(), within=5)
    names = {line.partition("=")[0] for line in supervisor.log("env").read_text().splitlines()}
    assert names <= {"PATH", "MINE", "MAGFLOW_SANDBOX_HOME", "MAGFLOW_PROGRAM", "PWD", "_", "SHLVL", "OLDPWD"}


def test_a_missing_program_is_one_clear_error(supervisor: Supervisor) -> None:
    with pytest.raises(SandboxError, match="cannot start nope"):
        supervisor.start(Program("nope", ["no-such-program"], ENV))
    assert supervisor.programs() == []


def test_waiting_ends_at_once_when_the_program_ends(supervisor: Supervisor) -> None:
    supervisor.start(Program("short", ["sh", "-c", "echo it broke; exit 3"], ENV))
    begun = time.monotonic()
    with pytest.raises(SandboxError, match="it broke") as raised:
        supervisor.wait("short", lambda: False, within=30)
    assert time.monotonic() - begun < 5
    assert raised.value.where == str(supervisor.log("short"))


def test_one_that_ignores_sigterm_is_killed(supervisor: Supervisor) -> None:
    stubborn = "trap '' TERM; echo ready; while :; do sleep 0.1; done"
    supervisor.start(Program("stubborn", ["sh", "-c", stubborn], ENV))
    supervisor.wait("stubborn", lambda: "ready" in supervisor.log("stubborn").read_text(), within=5)
    assert supervisor.stop("stubborn", timeout=0.3)
    assert processes.marked(supervisor.home.path, "stubborn") == []


def test_children_in_a_session_of_their_own_are_ended_too(supervisor: Supervisor) -> None:
    supervisor.start(Program("parent", ["sh", "-c", "setsid sleep 300 & echo ready; exec sleep 300"], ENV))
    supervisor.wait("parent", lambda: len(processes.marked(supervisor.home.path, "parent")) == 2, within=5)
    supervisor.stop("parent")
    assert processes.marked(supervisor.home.path, "parent") == []


def test_all_end_in_the_reverse_of_their_order(supervisor: Supervisor, tmp_path: Path) -> None:
    note = tmp_path / "order"
    for name, after in (("etcd", ()), ("apiserver", ("etcd",)), ("scheduler", ("apiserver",))):
        script = f"trap 'echo {name} >> {note}; exit' TERM; echo ready; while :; do sleep 0.05; done"
        supervisor.start(Program(name, ["sh", "-c", script], ENV, after=after))
        supervisor.wait(name, lambda name=name: "ready" in supervisor.log(name).read_text(), within=5)
    supervisor.stop_all()
    assert note.read_text().split() == ["scheduler", "apiserver", "etcd"]
    assert supervisor.programs() == []


def test_a_caller_that_is_killed_leaves_a_record_of_what_it_started(supervisor: Supervisor) -> None:
    """Kill the caller at many moments around the start: never a process that nobody knows."""
    script = textwrap.dedent(f"""
        import sys; sys.path.insert(0, {SOURCE!r})
        from pathlib import Path
        from magflow_sandbox.home import Home
        from magflow_sandbox.supervisor import Program, Supervisor
        print("go", flush=True)
        Supervisor(Home(Path({str(supervisor.home.path)!r}))).start(Program("one", ["sleep", "300"], {ENV!r}))
        """)
    for milliseconds in (0, 3, 6, 10, 15, 20, 30, 60):
        caller = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert caller.stdout is not None
        caller.stdout.readline()
        time.sleep(milliseconds / 1000)
        caller.kill()
        caller.wait()
        caller.stdout.close()
        supervisor.start(sleeper())
        assert supervisor.alive("one")
        assert len(processes.marked(supervisor.home.path, "one")) == 1
        supervisor.stop("one")
        assert processes.marked(supervisor.home.path, None) == []


def test_two_callers_at_once_start_one_process(supervisor: Supervisor) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        started = list(pool.map(lambda _: Supervisor(supervisor.home).start(sleeper()), range(8)))
    assert sum(started) == 1
    assert len(processes.marked(supervisor.home.path, "one")) == 1


def test_the_lock_refuses_or_waits(supervisor: Supervisor) -> None:
    with (
        supervisor.lock(),
        pytest.raises(SandboxError, match="another process"),
        Supervisor(supervisor.home).lock(wait=False),
    ):
        pass


def test_state_is_for_the_owner_only(supervisor: Supervisor) -> None:
    supervisor.start(Program("secret", ["sleep", "300"], {**ENV, "PASSWORD": "hunter2"}))
    record = supervisor.records / "secret.json"
    assert record.stat().st_mode & 0o077 == 0
    assert supervisor.log("secret").stat().st_mode & 0o077 == 0
    assert supervisor.home.path.stat().st_mode & 0o077 == 0
    assert "hunter2" not in record.read_text()
