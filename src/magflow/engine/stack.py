"""A stack of the suite in an environment's run folder: its plan with what the guard says of it, and the change."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from magflow import handoff, paths, programs
from magflow.engine import guard
from magflow.engine.planned import Plan
from magflow.engine.run_folder import RunFolder
from magflow.engine.terraform import Event, Terraform, write_root
from magflow.settings import Settings

__all__ = ["Plan", "Stack", "open_stack"]


class Stack:
    """Terraform for one stack of one environment."""

    def __init__(self, terraform: Terraform) -> None:
        self._terraform = terraform

    def init(self, tell: Any = lambda _words: None) -> None:
        """Installs provider and modules."""
        self._terraform.init(_words(tell))

    def plan(self, tell: Any = lambda _words: None, allow: Collection[str] = ()) -> Plan:
        """What would change, and what the guard says of it; `allow` holds the addresses that it lets through."""
        found = self._terraform.plan(on_event=_words(tell))
        # what is still tainted here failed while it was made: it holds nothing (see recovery)
        return Plan(found, guard.examine(found, allow, tainted_is_broken=True))

    def apply(self, tell: Any) -> None:
        """Applies the plan made last."""
        self._terraform.apply(on_event=_words(tell))

    def destroy(self, tell: Any) -> None:
        """Destroys all that the state holds."""
        self._terraform.destroy(_words(tell))

    def adopt(self, address: str, identifier: str) -> None:
        """Takes something that exists into the state."""
        self._terraform.adopt(address, identifier)

    def untaint(self, address: str) -> None:
        """Keeps a resource whose creation was interrupted."""
        self._terraform.untaint(address)

    def outputs(self) -> dict[str, Any]:
        """The outputs by name."""
        return self._terraform.output()


def open_stack(stack: str, run: RunFolder, settings: Settings) -> Stack:
    """Writes the stack's root module and variables into the run folder and opens it."""
    write_root(run.create().terraform, paths.root() / paths.STACKS / stack, handoff.terraform_vars(settings))
    environment = {}
    if settings.cloud.clouds_file:
        environment["OS_CLIENT_CONFIG_FILE"] = str(settings.cloud.clouds_file)
    program = programs.need("terraform")
    return Stack(Terraform(program, run.terraform, environment, run.logs / "terraform.log"))


def _words(tell: Any) -> Any:
    def on_event(event: Event) -> None:
        tell(event.message)

    return on_event
