"""The run folder is private, and one operator at a time works in it."""

import os
import signal
import subprocess
import sys

import pytest

from magflow.engine.run_folder import RunFolder
from magflow.errors import CannotTell, MagflowError

HOLD = """
import sys, time
from pathlib import Path
from magflow.engine.run_folder import RunFolder
with RunFolder("env", Path(sys.argv[1])).lock():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def held(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def test_the_second_operator_is_refused_with_the_holders_name(tmp_path, held):
    with (
        pytest.raises(CannotTell, match=rf"in use by .*@.* pid {held.pid} since 20"),
        RunFolder("env", tmp_path).lock(),
    ):
        pass


def test_the_lock_of_a_killed_operator_is_free(tmp_path, held):
    os.kill(held.pid, signal.SIGKILL)
    held.wait()
    with RunFolder("env", tmp_path).lock():
        pass


def test_everything_is_for_the_owner_alone(tmp_path):
    run = RunFolder("env", tmp_path).create()
    run.write_json(run.settings, {"a": 1})
    modes = {path.name: path.stat().st_mode & 0o777 for path in [run.path, run.terraform, run.logs, run.settings]}
    assert modes == {"env": 0o700, "terraform": 0o700, "logs": 0o700, "settings.json": 0o600}
    assert not list(run.path.glob(".settings*")), "no half-written file stays"


def test_facts_that_do_not_fit_are_told_with_the_file(tmp_path):
    run = RunFolder("env", tmp_path).create()
    run.write_json(run.facts_file, {"cluster": {}})
    with pytest.raises(MagflowError, match="facts do not fit") as error:
        run.facts()
    assert error.value.where == str(run.facts_file)


def test_every_stack_has_a_folder_of_its_own(tmp_path):
    run = RunFolder("env", tmp_path)
    assert run.stack("cluster") == run.terraform
    assert run.stack("image") == run.path / "terraform-image"
