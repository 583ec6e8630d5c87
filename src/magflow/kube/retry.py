"""Which answers pass by themselves, and how long they are waited for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from magflow.errors import MagflowError
from magflow.kube.errors import ApiError, Unreachable

T = TypeVar("T")

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
UNFIT = "failed to create typed patch object"
"""The server says 500 to an object with a field that its schema does not have; it never passes."""


class NotYet(MagflowError):
    """Something that the cluster is still about to do."""


def passes(error: MagflowError) -> bool:
    """Whether the same request may succeed later. A rejection never does.

    These pass: 409 unless it is a field conflict, 429, 5xx (a webhook that is not up yet is a 500), broken connections,
    namespaces that are still being deleted.
    """
    if isinstance(error, Unreachable | NotYet):
        return True
    if not isinstance(error, ApiError):
        return False
    if UNFIT in error.what:
        return False
    causes = {str(cause.get("reason")) for cause in error.causes}
    if error.status == 409:
        return "FieldManagerConflict" not in causes
    return error.status == 429 or error.status >= 500 or "NamespaceTerminating" in causes


@dataclass(frozen=True)
class Patience:
    """A deadline shared by all requests of one task.

    Attributes:
        seconds: how long after its making retries may start.
        clock: monotonic seconds.
        sleep: waits for seconds.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _until: list[float] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._until.append(self.clock() + self.seconds)

    @property
    def left(self) -> float:
        """Seconds until the deadline, never below 0."""
        return max(0.0, self._until[0] - self.clock())

    def call(self, attempt: Callable[[], T], passing: Callable[[MagflowError], bool] = passes) -> T:
        """Repeats an attempt, with growing pauses, while its error is a passing one and time is left.

        Raises:
            MagflowError: the attempt's last error.
        """
        pause = FIRST_PAUSE
        while True:
            try:
                return attempt()
            except MagflowError as error:
                if not passing(error) or self.left <= 0:
                    raise
                asked = error.retry_after if isinstance(error, ApiError) else 0
            # jitter, so that parallel writers do not knock together
            self.sleep(min(self.left, max(asked, pause * random.uniform(0.7, 1.3))))  # noqa: S311 - no secret
            pause = min(LONGEST_PAUSE, pause * 1.7)
