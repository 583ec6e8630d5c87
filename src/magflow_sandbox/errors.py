"""The one error class of the sandbox that is meant for people.

Usage::

    raise SandboxError("port 26600 of 127.0.0.1 is taken", where=log_path, hint="stop the program that listens there")
"""

from __future__ import annotations

from pathlib import Path


class SandboxError(Exception):
    """Something a user or operator can understand and act on; printed without a traceback.

    Args:
        what: what was found, lower case, one sentence.
        where: the file (usually a log) that tells more.
        hint: what to do.
    """

    def __init__(self, what: str, *, where: Path | str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = str(where) if where is not None else None
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.hint:
            lines.append(f"  do: {self.hint}")
        return "\n".join(lines)
