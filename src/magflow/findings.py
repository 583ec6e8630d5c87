"""What a look at settings, files or a cloud has found: the same shape for every command, on the screen and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum


class Severity(StrEnum):
    """Whether the pipeline may go on."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or should be known.

    Attributes:
        code: stable word for the kind of finding, such as PLAN_REPLACES_CLUSTER.
        severity: an error stops the pipeline.
        path: where: key path of the settings, resource address, `file:line`, or the object's name.
        message: what was found, with the values.
        hint: what to do.
    """

    code: str
    severity: Severity
    path: str
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, str]:
        """Plain data for `--json`."""
        return asdict(self) | {"severity": str(self.severity)}


def error(code: str, path: str, message: str, hint: str = "") -> Finding:
    """A finding that stops the pipeline."""
    return Finding(code, Severity.ERROR, path, message, hint)


def warning(code: str, path: str, message: str, hint: str = "") -> Finding:
    """A finding that should be known."""
    return Finding(code, Severity.WARNING, path, message, hint)


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Those that stop the pipeline."""
    return [finding for finding in findings if finding.severity is Severity.ERROR]
