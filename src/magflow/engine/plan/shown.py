"""A plan as the command line shows it: the changes in words, and what the guard found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from magflow import findings
from magflow.engine.plan import PlanSummary, ResourceChange
from magflow.engine.plan.guard_rules import listed
from magflow.errors import MagflowError
from magflow.findings import Finding

MARKS = {"create": "+", "update": "~", "replace": "-/+", "delete": "-"}


@dataclass(frozen=True)
class Plan:
    """What a plan would do, in words, and what the guard says of it."""

    found: PlanSummary
    findings: tuple[Finding, ...] = ()

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
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def refuse(self) -> None:
        """Ends here when the guard found an error.

        Raises:
            MagflowError: with every one of them.
        """
        wrong = findings.errors(self.findings)
        if wrong:
            raise MagflowError(
                "; ".join(finding.message for finding in wrong),
                where=", ".join(finding.path for finding in wrong),
                hint=wrong[0].hint,
                code=wrong[0].code,
            )


def _because(change: ResourceChange) -> str:
    telling = (
        [a for a in change.attributes if a.forces_replacement] if change.action == "replace" else change.attributes
    )
    if change.action not in {"update", "replace"} or not telling:
        return ""
    return ": " + listed(telling)
