"""A stack of the suite in an environment's run folder: its plan with what the guard says of it, and the change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from magflow import handoff, paths, programs, stages
from magflow.engine.plan import guard
from magflow.engine.plan.shown import Plan
from magflow.engine.run_folder import RunFolder
from magflow.engine.terraform import Event, Terraform, at_once, write_root
from magflow.engine.terraform.state import State
from magflow.engine.terraform.state_lock import LockedState
from magflow.settings import Settings
from magflow.stages.model import TerraformStack

__all__ = ["Plan", "Stack", "open_stack", "stacks_to_destroy"]

BUILT_IN = frozenset({"default-master", "default-worker"})
"""The node groups that come and go with their cluster."""


class Stack:
    """Terraform for one stack of one environment."""

    def __init__(self, terraform: Terraform) -> None:
        self._terraform = terraform

    def init(self, tell: Any = lambda _words: None) -> None:
        """Installs provider and modules."""
        self._terraform.init(_words(tell))

    def plan(
        self,
        tell: Any = lambda _words: None,
        allow: Collection[str] = (),
        users: Callable[[], Mapping[str, Mapping[str, str]]] = dict,
    ) -> Plan:
        """What would change, and what the guard says of it.

        Args:
            tell: is told what Terraform says.
            allow: addresses that the guard lets through.
            users: asks Magnum for all clusters by template; asked only when the plan changes a template.
        """
        found = self._terraform.plan(on_event=_words(tell))
        known = users() if guard.asks_for_users(found) else None
        # what is still tainted here failed while it was made: it holds nothing (see recovery)
        return Plan(found, guard.examine(found, allow, tainted_is_broken=True, users=known))

    def apply(self, tell: Any, at_once: int = 1) -> None:
        """Applies the plan made last, so many changes at a time."""
        self._terraform.apply(on_event=_words(tell), parallelism=at_once)

    def destroy(self, tell: Any) -> None:
        """Destroys all that the state holds."""
        self._terraform.destroy(_words(tell))

    def adopt(self, address: str, identifier: str) -> None:
        """Takes something that exists into the state."""
        self._terraform.adopt(address, identifier)

    def untaint(self, address: str) -> None:
        """Keeps a resource whose creation was interrupted."""
        self._terraform.untaint(address)

    def held(self) -> dict[str, Any]:
        """The whole state; the caller keeps no more of it than ids."""
        return self._terraform.held()

    def outputs(self) -> dict[str, Any]:
        """The outputs by name."""
        return self._terraform.output()


def open_stack(stack: str, run: RunFolder, settings: Settings) -> Stack:
    """Writes the stack's root module and variables into the run folder and opens it.

    Raises:
        CannotTell: no program; or the environment does not name the database that the settings want, or not safely.
    """
    state = State.of(settings, stack, run)
    folder = run.create().stack(stack)
    source = paths.root() / paths.STACKS / stack
    write_root(folder, source, handoff.stack_vars(stack, settings), state.backend)
    environment = state.environment()
    if settings.cloud.clouds_file:
        environment["OS_CLIENT_CONFIG_FILE"] = str(settings.cloud.clouds_file)
    program = programs.need("tofu" if state.encrypted else "terraform")
    log = run.logs / f"{folder.name}.log"
    clusters = found.clusters if stack == "cluster" and (found := run.facts()) else {}
    own = {name: len(cluster.node_groups.keys() - BUILT_IN) for name, cluster in clusters.items()}
    destroyed = at_once.of_groups(own, settings.terraform.clusters_at_once)
    return Stack(LockedState(program, folder, environment, log, parallelism=destroyed, state=state))


def stacks_to_destroy(run: RunFolder, settings: Settings) -> tuple[str, ...]:
    """The stacks that this environment may have made something with; the last one made comes first."""
    stacks = [(stage, stage.step.stack) for stage in stages.STAGES if isinstance(stage.step, TerraformStack)]
    wanted = stages.enabled(settings)
    return tuple(name for stage, name in reversed(stacks) if stage in wanted or (run.stack(name) / "main.tf").is_file())


def _words(tell: Any) -> Any:
    def on_event(event: Event) -> None:
        tell(event.message)

    return on_event
