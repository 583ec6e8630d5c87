"""The runner against real Terraform: built-in resources only, so nothing but this machine is needed."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import python_terraform

from magflow.engine.terraform import Event, Terraform, write_root
from magflow.errors import CannotTell, MagflowError

SECRET = "5ecret-of-the-cluster"
Make = Callable[..., Terraform]

STACK = """
variable "thing" {
  type = object({ name = string, size = optional(number, 1) })

  validation {
    condition     = var.thing.size >= 0
    error_message = "thing.size must be at least 0; got ${var.thing.size}."
  }
}

resource "terraform_data" "thing" {
  input            = var.thing.size
  triggers_replace = var.thing.name
}

output "facts" {
  value = terraform_data.thing.output
}

output "kubeconfig" {
  value     = "%s"
  sensitive = true
}
"""
SLOW = """
resource "terraform_data" "slow" {
  depends_on = [terraform_data.thing]

  provisioner "local-exec" {
    command = "echo started >> ${path.root}/starts; while [ ! -e ${path.root}/go ]; do sleep 0.05; done"
  }
}
"""


@pytest.fixture
def make(program: str, tmp_path: Path) -> Make:
    """Writes a stack and its run folder; gives the runner."""

    def build(more: str = "", env: dict[str, str] | None = None, **thing: object) -> Terraform:
        stack = tmp_path / "package" / "stacks" / "things"
        stack.mkdir(parents=True, exist_ok=True)
        (stack / "main.tf").write_text(STACK % SECRET + more)
        folder = tmp_path / "run"
        write_root(folder, stack, {"thing": {"name": "one", **thing}})
        return Terraform(program, folder, env or {}, folder / "terraform.log")

    return build


def deployed(terraform: Terraform) -> Terraform:
    terraform.init()
    terraform.plan()
    terraform.apply()
    return terraform


def test_a_round_of_plans(make: Make) -> None:
    terraform = make()
    terraform.init()
    assert [change.action for change in terraform.plan().created] == ["create"]
    assert terraform.addresses() == []
    terraform.apply()
    assert terraform.output() == {"facts": 1, "kubeconfig": SECRET}
    assert terraform.addresses() == ["module.stack.terraform_data.thing"]
    assert terraform.plan().empty

    (changed,) = make(size=2).plan().updated
    assert {item.path for item in changed.attributes} >= {"input"}
    (replaced,) = make(name="two").plan().replaced
    assert [item.path for item in replaced.attributes if item.forces_replacement] == ["triggers_replace"]

    terraform.destroy()
    assert terraform.addresses() == []
    terraform.destroy()  # again: nothing to do is no failure


def test_progress_arrives_before_the_end(make: Make) -> None:
    """The resource waits for a file that is written at its first event."""
    terraform = make(SLOW)
    terraform.init()
    terraform.plan()
    seen: list[Event] = []

    def listen(event: Event) -> None:
        seen.append(event)
        if event.kind == "provision_start":
            (terraform.folder / "go").touch()

    terraform.apply(on_event=listen)
    kinds = [event.kind for event in seen if event.address == "module.stack.terraform_data.slow"]
    assert kinds.index("apply_start") < kinds.index("provision_start") < kinds.index("apply_complete")
    complete = next(event for event in seen if event.kind == "apply_complete")
    assert (complete.action, complete.address) == ("create", "module.stack.terraform_data.thing")
    assert complete.elapsed is not None


def test_no_secret_at_any_log_level(
    make: Make, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_LOG", "TRACE")
    monkeypatch.setenv("TF_LOG_CORE", "TRACE")
    caplog.set_level(logging.NOTSET)
    seen: list[Event] = []
    terraform = make()
    terraform.init(seen.append)
    summary = terraform.plan(on_event=seen.append)
    terraform.apply(on_event=seen.append)
    assert terraform.output()["kubeconfig"] == SECRET
    make(size=-1)
    with pytest.raises(MagflowError) as error:
        terraform.plan(on_event=seen.append)
    written = capfd.readouterr()
    told = [
        caplog.text,
        written.out,
        written.err,
        repr(seen),
        repr(summary),
        str(error.value),
        terraform.log.read_text(),
    ]
    assert [text for text in told if SECRET in text] == []
    assert "[TRACE]" not in terraform.log.read_text()


def test_the_folder_is_its_owners_alone(make: Make) -> None:
    terraform = deployed(make())
    assert terraform.folder.stat().st_mode & 0o777 == 0o700
    names = {"terraform.tfstate", "plan.tfplan", "terraform.log", "main.tf", "terraform.tfvars.json", "running.json"}
    files = {file.name: file.stat().st_mode & 0o777 for file in terraform.folder.iterdir() if file.is_file()}
    assert files.keys() >= names
    assert {name for name, mode in files.items() if mode & 0o077} == set()


def test_errors_are_passed_on(make: Make) -> None:
    terraform = make(size=-1)
    terraform.init()
    with pytest.raises(MagflowError) as error:
        terraform.plan()
    assert error.value.what == "thing.size must be at least 0; got -1."
    assert str(terraform.log) in (error.value.where or "")
    assert "main.tf:" in (error.value.where or "")


def test_an_error_of_the_apply_names_its_resource(make: Make) -> None:
    terraform = make(
        'resource "terraform_data" "bad" {\n  provisioner "local-exec" {\n    command = "exit 3"\n  }\n}\n'
    )
    terraform.init()
    terraform.plan()
    with pytest.raises(MagflowError, match="exit status 3") as error:
        terraform.apply()
    assert "module.stack.terraform_data.bad" in (error.value.where or "")


def test_an_interrupted_creation_can_be_kept(make: Make) -> None:
    terraform = make(
        'resource "terraform_data" "bad" {\n  provisioner "local-exec" {\n    command = "exit 3"\n  }\n}\n'
    )
    terraform.init()
    terraform.plan()
    with pytest.raises(MagflowError):
        terraform.apply()
    (tainted,) = terraform.plan().replaced
    assert tainted.reason == "replace_because_tainted"
    terraform.untaint(tainted.address)
    assert not terraform.plan().changes


def test_a_broken_stack_is_an_error_of_init(make: Make) -> None:
    terraform = make('module "gone" {\n  source = "./gone"\n}\n')
    with pytest.raises(MagflowError, match="Unreadable module directory"):
        terraform.init()


def test_a_missing_program(make: Make) -> None:
    terraform = make()
    with pytest.raises(CannotTell, match="there is no program 'terraform-9'"):
        Terraform("terraform-9", terraform.folder, {}, terraform.log).init()


def test_a_missing_stack(tmp_path: Path) -> None:
    with pytest.raises(MagflowError, match="no such Terraform stack"):
        write_root(tmp_path / "run", tmp_path / "stacks" / "nothing", {})


def test_an_interrupt_lets_terraform_write_its_state(make: Make) -> None:
    terraform = make(SLOW)
    terraform.init()
    terraform.plan()

    def interrupt(event: Event) -> None:
        if event.kind == "provision_start":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        terraform.apply(on_event=interrupt)
    assert "module.stack.terraform_data.thing" in terraform.addresses()


def test_a_killed_run_is_followed_to_its_end(make: Make, program: str) -> None:
    """SIGKILL of the suite does not kill Terraform: it would forget a cluster that Magnum goes on to build."""
    terraform = make(SLOW)
    terraform.init()
    terraform.plan()
    script = textwrap.dedent(f"""
        from pathlib import Path
        from magflow.engine.terraform import Terraform
        folder = Path({str(terraform.folder)!r})
        Terraform({program!r}, folder, {{}}, folder / "terraform.log").apply()
    """)
    caller = subprocess.Popen([sys.executable, "-c", script], env=os.environ, start_new_session=True)
    wait_for(terraform.folder / "starts")
    os.killpg(caller.pid, signal.SIGKILL)
    caller.wait()

    seen: list[Event] = []

    def listen(event: Event) -> None:
        seen.append(event)
        if "still at work" in event.message:
            (terraform.folder / "go").touch()

    terraform.init(listen)
    assert any(event.kind == "apply_complete" and event.address == "module.stack.terraform_data.slow" for event in seen)
    assert terraform.plan().empty
    assert (terraform.folder / "starts").read_text().split() == ["started"]


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < deadline, f"{file} does not appear"
        time.sleep(0.05)


def test_what_python_terraform_gives_and_does_not(tmp_path: Path) -> None:
    """The reasons of docs/decisions/terraform-runner.md; when one falls, its work-around may go."""
    commands = python_terraform.Terraform(working_dir=str(tmp_path), terraform_bin_path="terraform")
    assert commands.generate_cmd_string("apply", "plan", json=python_terraform.IsFlagged, parallelism=1) == [
        "terraform",
        "apply",
        "-json",
        "-parallelism=1",
        "plan",
    ]
    echo = tmp_path / "echo"
    echo.write_text('#!/bin/sh\necho "$@"\n')
    echo.chmod(0o755)
    commands = python_terraform.Terraform(working_dir=str(tmp_path), terraform_bin_path=str(echo))
    process, _, _ = commands.cmd("apply", capture_output=True, synchronous=False)
    out, _ = process.communicate()
    assert out.decode().split() == ["apply", "-synchronous=false"]  # a flag that Terraform does not know
    _, out, _ = commands.destroy()
    assert "-force" in out.split()
