"""The errors that a user sees: what was found, where, and what to do."""

from __future__ import annotations


class MagflowError(Exception):
    """Something that a user can act on. The command line prints it in up to three lines and exits with `exit_code`.

    Args:
        what: what was found, lower case, one sentence.
        where: file and key path, URL or object it was found at.
        hint: the next step for the user.
        code: stable word for the kind of error, where it has one: the same as of a finding.
    """

    exit_code = 1

    def __init__(self, what: str, where: str | None = None, hint: str | None = None, code: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint
        self.code = code

    def __str__(self) -> str:
        parts = [self.what]
        if self.where:
            parts.append(f"where: {self.where}")
        if self.hint:
            parts.append(f"do: {self.hint}")
        return "\n  ".join(parts)


class CannotTell(MagflowError):
    """The question could not be answered: wrong usage, or a service that is not reachable (exit code 2)."""

    exit_code = 2
