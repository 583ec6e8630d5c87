"""A stack of the suite in an environment's run folder: what it would change, the guard, and the change itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from magflow import handoff, paths, programs
from magflow.engine.plan import AttributeChange, PlanSummary, ResourceChange
from magflow.engine.recovery import CLUSTER, TAINTED
from magflow.engine.run_folder import RunFolder
from magflow.engine.terraform import Event, Terraform, write_root
from magflow.errors import MagflowError
from magflow.settings import Settings

GUARDED = CLUSTER
"""The resource that no plan may replace or delete on the side (terraform-provider-openstack issue 1625)."""

MARKS = {"create": "+", "update": "~", "replace": "-/+", "delete": "-"}


@dataclass(frozen=True)
class Plan:
    """What a stack's plan would do, in words."""

    found: PlanSummary

    @property
    def empty(self) -> bool:
        """Whether nothing would change."""
        return self.found.empty

    @property
    def count(self) -> int:
        """How many resources would change."""
        return len(self.found.changes)

    @property
    def summary(self) -> str:
        """In a few words."""
        parts = {"created": self.found.created, "updated": self.found.updated}
        parts |= {"replaced": self.found.replaced, "deleted": self.found.deleted}
        return ", ".join(f"{len(changes)} {word}" for word, changes in parts.items() if changes) or "outputs only"

    def lines(self) -> list[str]:
        """A line a change; secrets are masked."""
        lines = [f"{MARKS[change.action]} {change.address}{_because(change)}" for change in self.found.changes]
        return lines + [f"~ output {name}" for name in self.found.outputs]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return {
            "changes": [
                {
                    "address": change.address,
                    "action": change.action,
                    "attributes": {a.path: [a.before, a.after] for a in change.attributes},
                    "forces_replacement": [a.path for a in change.attributes if a.forces_replacement],
                }
                for change in self.found.changes
            ],
            "outputs": list(self.found.outputs),
        }

    def refuse_replacement(self) -> None:
        """The guard: a plan that would destroy the cluster does not run.

        Raises:
            MagflowError: naming the cluster and the attributes.
        """
        for change in (*self.found.replaced, *self.found.deleted):
            # one that is still tainted here failed while it was made: it holds nothing (see recovery)
            if change.kind == GUARDED and change.reason != TAINTED:
                raise MagflowError(
                    f"the plan would {change.action} cluster '{change.name}'{_because(change)}",
                    where=change.address,
                    hint="undo that change of the settings, or destroy the cluster by name first: magflow destroy",
                )


class Stack:
    """Terraform for one stack of one environment."""

    def __init__(self, terraform: Terraform) -> None:
        self._terraform = terraform

    def init(self, tell: Any = lambda _words: None) -> None:
        """Installs provider and modules."""
        self._terraform.init(_words(tell))

    def plan(self, tell: Any = lambda _words: None) -> Plan:
        """What would change."""
        return Plan(self._terraform.plan(on_event=_words(tell)))

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


def _because(change: ResourceChange) -> str:
    telling = (
        [a for a in change.attributes if a.forces_replacement] if change.action == "replace" else change.attributes
    )
    if change.action not in {"update", "replace"} or not telling:
        return ""
    return ": " + ", ".join(_attribute(attribute) for attribute in telling[:6])


def _attribute(attribute: AttributeChange) -> str:
    return f"{attribute.path} ({json.dumps(attribute.before)} -> {json.dumps(attribute.after)})"
