"""What the texts of services mean: the table data/causes.yml, with a source for each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml


@dataclass(frozen=True)
class KnownCause:
    """One entry of the table.

    Attributes:
        code: the cause's stable word.
        title: what it means.
        pattern: what is looked for in a text.
        do: the next steps, the first first; proposed, never run.
        source: where the text is from.
    """

    code: str
    title: str
    pattern: re.Pattern[str]
    do: tuple[str, ...]
    source: str


@cache
def known() -> tuple[KnownCause, ...]:
    """The table, in its order: the first that fits wins."""
    text = resources.files("magflow").joinpath("data/causes.yml").read_text(encoding="utf-8")
    return tuple(
        KnownCause(
            code=entry["code"],
            title=entry["title"],
            # folded lines of the file leave blanks after the bars
            pattern=re.compile(re.sub(r"\|\s+", "|", entry["text"].strip()), re.IGNORECASE | re.DOTALL),
            do=tuple(entry["do"]),
            source=entry["source"],
        )
        for entry in yaml.safe_load(text)
    )


def of(text: str) -> KnownCause | None:
    """The cause that a text speaks of, or None when it is of none that is known."""
    return next((cause for cause in known() if cause.pattern.search(text)), None)


def named(code: str) -> KnownCause:
    """The entry of that code."""
    return next(cause for cause in known() if cause.code == code)
