"""Terraform (or OpenTofu) behind a few methods.

python-terraform builds the command lines; docs/decisions/terraform-runner.md says what else it would do and why it may
not.
"""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import python_terraform

from magflow.engine.plan import PlanSummary, summarize
from magflow.engine.terraform import events as terraform_events
from magflow.engine.terraform import process as terraform_process
from magflow.engine.terraform.environment import environment
from magflow.engine.terraform.events import Event
from magflow.engine.terraform.process import OnEvent
from magflow.engine.terraform.root import write_root
from magflow.errors import CannotTell, MagflowError

__all__ = ["Event", "OnEvent", "PlanSummary", "Terraform", "write_root"]

# Its loggers write whole outputs, state and kubeconfig included.
for _name in ("python_terraform", "python_terraform.tfstate"):
    logging.getLogger(_name).disabled = True

_FLAG = python_terraform.IsFlagged
_PLAN = "plan.tfplan"


def _nothing(_event: Event) -> None:
    """The listener of a caller that does not listen."""


class _Commands(python_terraform.Terraform):  # type: ignore[misc]
    """python-terraform's command building alone."""

    def read_state_file(self, file_path: str | None = None) -> None:
        """Reads nothing: the state holds credentials, and the constructor would load it."""


class Terraform:
    """Runs Terraform in one folder.

    A process that an earlier, killed run left there is followed to its end first.

    Args:
        program: `terraform` or `tofu`, a path or a name in PATH.
        folder: the root module, mode 0700; state, plans and lock file lie there, mode 0600.
        env: additions to the environment (see `terraform_environment`).
        log: file for everything that Terraform says, mode 0600.
        parallelism: changes at a time. One, because Magnum's Helm-based driver fails the second of two node groups.
    """

    def __init__(
        self, program: str | Path, folder: Path, env: Mapping[str, str], log: Path, *, parallelism: int = 1
    ) -> None:
        self.folder = folder
        self.log = log
        self._env = environment(env)
        self._parallelism = parallelism
        self._commands = _Commands(working_dir=str(folder), terraform_bin_path=str(program))

    def init(self, on_event: OnEvent = _nothing) -> None:
        """Installs providers and modules.

        Raises:
            MagflowError: with Terraform's own words.
        """
        said: list[Event] = []
        status = self._follow("init", on_event, said, input=False, no_color=_FLAG)
        if status:
            text = "\n".join(event.message for event in said)
            raise terraform_events.error("init", terraform_events.plain_errors(text) or said, status, self.log)

    def plan(self, out: Path | None = None, on_event: OnEvent = _nothing) -> PlanSummary:
        """What would change.

        Args:
            out: the file for the plan (`plan.tfplan` in the folder by default); it holds secrets.
            on_event: called for each event as it arrives.

        Raises:
            MagflowError: with the diagnostics' own words.
        """
        file = out or self.folder / _PLAN
        self._events("plan", on_event, out=str(file), input=False, json=_FLAG)
        return summarize(self._read("show", str(file)))

    def apply(self, plan: Path | None = None, on_event: OnEvent = _nothing, *, parallelism: int | None = None) -> None:
        """Applies a plan that `plan` made.

        Args:
            plan: its file.
            on_event: called for each event as it arrives.
            parallelism: changes at a time; None: as the runner was told.

        Raises:
            MagflowError: with the diagnostics' own words.
        """
        file = plan or self.folder / _PLAN
        at_once = parallelism or self._parallelism
        self._events("apply", on_event, str(file), input=False, json=_FLAG, parallelism=at_once)

    def destroy(self, on_event: OnEvent = _nothing) -> None:
        """Destroys all that the state holds.

        Without a refresh: that would look up images, flavors and keys that may be gone, and fail for their sake. A
        resource that is gone already counts as destroyed.

        Raises:
            MagflowError: with the diagnostics' own words.
        """
        self._events(
            "destroy",
            on_event,
            auto_approve=_FLAG,
            refresh=False,
            input=False,
            json=_FLAG,
            parallelism=self._parallelism,
        )

    def output(self) -> dict[str, Any]:
        """The outputs by name, sensitive ones too; empty before the first apply."""
        return {name: entry["value"] for name, entry in self._read("output").items()}

    def held(self) -> dict[str, Any]:
        """The whole state, wherever it lies; it holds secrets, and the caller keeps no more of it than ids."""
        text = self._capture("state pull")
        return dict(json.loads(text)) if text.strip() else {}

    def addresses(self) -> list[str]:
        """The addresses of what the state holds; empty without a state."""
        if not (self.folder / "terraform.tfstate").exists():
            return []
        return self._capture("state list").splitlines()

    def adopt(self, address: str, identifier: str, on_event: OnEvent = _nothing) -> None:
        """Takes over something that exists but is not in the state, as after a crash of Terraform itself."""
        self._simple("import", on_event, address, identifier, input=False, no_color=_FLAG)

    def untaint(self, address: str, on_event: OnEvent = _nothing) -> None:
        """Keeps a resource whose creation was interrupted; else the next plan replaces it."""
        self._simple("untaint", on_event, address, no_color=_FLAG)

    def _simple(self, command: str, on_event: OnEvent, *args: str, **options: Any) -> None:
        said: list[Event] = []
        status = self._follow(command, on_event, said, *args, **options)
        if status:
            text = "\n".join(event.message for event in said)
            raise terraform_events.error(command, terraform_events.plain_errors(text) or said, status, self.log)

    def _events(self, command: str, on_event: OnEvent, *args: str, **options: Any) -> None:
        said: list[Event] = []
        status = self._follow(command, on_event, said, *args, **options)
        if status:
            raise terraform_events.error(command, said, status, self.log)

    def _follow(self, command: str, on_event: OnEvent, said: list[Event], *args: str, **options: Any) -> int:
        def listen(event: Event) -> None:
            said.append(event)
            on_event(event)

        self._wait(on_event)
        argv = self._commands.generate_cmd_string(command, *args, **options)
        try:
            return terraform_process.run(argv, self.folder, self._env, self.log, listen)
        except FileNotFoundError:
            raise self._missing(argv[0]) from None

    def _read(self, command: str, *args: str) -> dict[str, Any]:
        text = self._capture(command, *args, json=_FLAG)
        try:
            data = json.loads(text)
        except ValueError:
            raise MagflowError(f"terraform {command} gave no JSON", where=str(self.folder)) from None
        return dict(data)

    def _capture(self, command: str, *args: str, **options: Any) -> str:
        """A command's answer; it may hold secrets and goes nowhere but to the caller."""
        self._wait(_nothing)
        argv = self._commands.generate_cmd_string(command, *args, **options)
        try:
            done = subprocess.run(
                argv,
                cwd=self.folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            raise self._missing(argv[0]) from None
        if done.returncode:
            errors = terraform_events.plain_errors(done.stderr) or [Event("text", done.stderr.strip())]
            raise terraform_events.error(command, errors, done.returncode, self.log)
        return done.stdout

    def _wait(self, on_event: OnEvent) -> None:
        terraform_process.wait_for_other(self.folder, on_event)

    def _missing(self, program: str) -> CannotTell:
        return CannotTell(
            f"there is no program '{program}'",
            where="PATH",
            hint="run scripts/setup, or install Terraform 1.9 or OpenTofu",
        )
