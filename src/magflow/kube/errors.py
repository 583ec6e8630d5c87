"""What an API server, or the way to it, can answer instead of what was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from magflow.errors import CannotTell, MagflowError


class Unreachable(CannotTell):
    """Nothing answers at the kubeconfig's address."""


class WrongCA(CannotTell):
    """The server answers with a certificate that the kubeconfig's CA has not signed."""


class Unauthorized(CannotTell):
    """The server does not know the kubeconfig's credentials (401)."""


class ApiError(MagflowError):
    """The server answered with a Status that is not a success.

    Attributes:
        status: HTTP status code.
        reason: the Status' reason, for example `Conflict`.
        causes: the Status' details.causes ({reason, message, field} each).
        retry_after: seconds the server asks to wait, 0 when it does not say.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        *,
        where: str,
        causes: Sequence[Mapping[str, Any]] = (),
        wait: int = 0,
    ) -> None:
        super().__init__(message, where=where)
        self.status = status
        self.reason = reason
        self.causes = list(causes)
        self.retry_after = wait


class UnknownKind(MagflowError):
    """The server serves no such kind (yet: its CRD may still be on the way)."""


class Conflict(MagflowError):
    """Another field manager owns a field with another value. Never forced unless asked for.

    Attributes:
        fields: (manager, field) pairs.
    """

    def __init__(self, subject: str, fields: Sequence[tuple[str, str]]) -> None:
        self.fields = list(fields)
        owners = "; ".join(f"{field} belongs to '{manager}'" for manager, field in fields)
        super().__init__(
            f"{subject}: {owners}",
            where=subject,
            hint="leave the field to that manager, or take it over once with force",
        )
