"""What a sandbox cloud is found to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from magflow_sandbox.faults.store import Active
from magflow_sandbox.supervisor import Running


@dataclass(frozen=True)
class Cluster:
    """A cluster of the management API, as far as people want to know."""

    name: str
    phase: str
    ready: bool


@dataclass(frozen=True)
class Status:
    """What is there.

    Attributes:
        programs: everything that was started and not stopped since.
        missing: programs that belong to a sandbox that is up, and of which there is no record.
        doors: door -> whether it answers over HTTPS; of the controller: whether it has looked round lately.
        clusters: None when the management API does not answer.
        faults: what is done wrong on purpose.
    """

    programs: list[Running]
    missing: list[str]
    doors: dict[str, bool]
    clusters: list[Cluster] | None
    faults: list[Active] = field(default_factory=list)

    @property
    def dead(self) -> list[Running]:
        """Programs that ended without having been stopped."""
        return [program for program in self.programs if program.state == "dead"]

    @property
    def state(self) -> str:
        """`down` (nothing was started), `up` (all that should run runs and answers), else `degraded`."""
        if not self.programs:
            return "down"
        whole = not self.dead and not self.missing and all(self.doors.values()) and self.clusters is not None
        return "up" if whole else "degraded"

    @property
    def rss(self) -> int:
        """Resident memory of everything, in bytes."""
        return sum(program.rss for program in self.programs)


def cluster(item: dict[str, Any]) -> Cluster:
    """From an object of the management API."""
    metadata, status = item["metadata"], item.get("status") or {}
    conditions = {entry["type"]: entry["status"] for entry in status.get("conditions", [])}
    phase = "Deleting" if metadata.get("deletionTimestamp") else status.get("phase", "Pending")
    return Cluster(metadata["name"], phase, conditions.get("Ready") == "True")
