"""What can be run, and what is known of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


def python(module: str) -> list[str]:
    """The start of a command that runs a module of this package with this Python, wherever it is installed."""
    source = str(Path(__file__).resolve().parents[1])
    run = f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-u", "-c", f"import sys, runpy; sys.path.insert(0, {source!r}); {run}"]


@dataclass(frozen=True)
class Program:
    """A program to run.

    Args:
        name: unique in the home; may contain ``/`` (a folder of the records and logs).
        argv: the command; the first word is looked up in the PATH of ``env``.
        env: the whole environment (plus the two marks), nothing is inherited.
        cwd: working folder, ``/`` when not given.
        namespace: name of a :class:`magflow_sandbox.namespaces.Netns` that is up; the program runs inside.
        after: names of programs that must outlive this one.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | str | None = None
    namespace: str | None = None
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Running:
    """What is known of a program that was started and not stopped since."""

    name: str
    state: Literal["running", "dead"]
    pid: int
    since: float  # seconds since the epoch
    rss: int  # bytes, with its children; 0 when dead
    after: tuple[str, ...]
    log: Path
