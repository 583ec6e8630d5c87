"""What a diagnosis is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from magflow import findings
from magflow.findings import Finding


class Verdict(StrEnum):
    """How a cluster stands."""

    COMPLETE = "COMPLETE"
    GONE = "GONE"
    IN_PROGRESS = "IN_PROGRESS"
    NOT_FOUND = "NOT_FOUND"
    STATUS_STALE = "STATUS_STALE"
    OVERDUE = "OVERDUE"
    CREATE_BLOCKED = "CREATE_BLOCKED"
    UPDATE_BLOCKED = "UPDATE_BLOCKED"
    CREATE_FAILED = "CREATE_FAILED"
    UPDATE_FAILED = "UPDATE_FAILED"
    DELETE_FAILED = "DELETE_FAILED"
    DELETE_BLOCKED = "DELETE_BLOCKED"
    DELETE_NOT_STARTED = "DELETE_NOT_STARTED"
    NODE_GROUP_FAILED = "NODE_GROUP_FAILED"
    NODE_MISSING = "NODE_MISSING"
    NODE_NOT_READY = "NODE_NOT_READY"
    API_UNREACHABLE = "API_UNREACHABLE"
    UNHEALTHY = "UNHEALTHY"


MEANING = {
    Verdict.COMPLETE: "as it should be",
    Verdict.GONE: "Magnum knows it no more",
    Verdict.IN_PROGRESS: "Magnum is at work on it, within its time",
    Verdict.NOT_FOUND: "Magnum knows no such cluster",
    Verdict.STATUS_STALE: "it can be used; Magnum's status was not brought up to date",
    Verdict.OVERDUE: "Magnum is still at work on it, past its time",
    Verdict.CREATE_BLOCKED: "in progress, but something cannot succeed as it is",
    Verdict.UPDATE_BLOCKED: "in progress, but something cannot succeed as it is",
    Verdict.CREATE_FAILED: "it was not made",
    Verdict.UPDATE_FAILED: "it was not changed",
    Verdict.DELETE_FAILED: "it was not deleted",
    Verdict.DELETE_BLOCKED: "its deletion waits for what will not go by itself",
    Verdict.DELETE_NOT_STARTED: "its deletion was asked for and has not begun",
    Verdict.NODE_GROUP_FAILED: "a node group failed",
    Verdict.NODE_MISSING: "it has fewer nodes than asked",
    Verdict.NODE_NOT_READY: "some of its nodes are not Ready",
    Verdict.API_UNREACHABLE: "complete by Magnum's word, but its API does not answer from here",
    Verdict.UNHEALTHY: "complete, but Magnum holds it for unhealthy",
}
GOOD = {Verdict.COMPLETE, Verdict.GONE}
OPEN = {Verdict.IN_PROGRESS, Verdict.NOT_FOUND}


@dataclass(frozen=True)
class Cause:
    """One reason for the verdict.

    Attributes:
        code: stable word.
        title: what it means.
        weight: how surely it is the reason; the greatest comes first.
        evidence: what was seen, a line each.
        do: next steps and commands; proposed, never run.
        source: where more is written about it.
    """

    code: str
    title: str
    weight: int
    evidence: tuple[str, ...] = ()
    do: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong with one cluster, if anything.

    Attributes:
        cluster: its name.
        id: Magnum's id.
        verdict: how it stands.
        causes: the likeliest first.
        evidence: what the verdict stands on, a line each.
        unseen: what could not be looked at.
    """

    cluster: str
    id: str
    verdict: Verdict
    causes: tuple[Cause, ...] = ()
    evidence: tuple[str, ...] = ()
    unseen: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        """0: all is well; 2: not to be told yet; 1: something is wrong."""
        return 0 if self.verdict in GOOD else 2 if self.verdict in OPEN else 1

    @property
    def meaning(self) -> str:
        """The verdict in a sentence."""
        return MEANING[self.verdict]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The verdict, with its first cause, as other commands show it; none when all is well."""
        if self.verdict in GOOD:
            return ()
        first = self.causes[0] if self.causes else None
        words = [self.meaning]
        if first:
            words += [f"{first.code}: {first.title}", *first.evidence]
        make = findings.error if self.exit_code == 1 else findings.warning
        hint = "; ".join(first.do) if first else ""
        return (make(str(self.verdict), f"cluster {self.cluster} ({self.id})", " | ".join(words), hint),)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return asdict(self) | {"verdict": str(self.verdict), "meaning": self.meaning, "exit_code": self.exit_code}
