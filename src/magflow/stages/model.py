"""What a stage is: data that the engine reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from magflow.checks.model import Check
from magflow.settings import Settings


@dataclass(frozen=True)
class TerraformStack:
    """A step that applies a root under terraform/stacks."""

    stack: str


@dataclass(frozen=True)
class Playbook:
    """A step that runs a playbook under playbooks/."""

    playbook: str


@dataclass(frozen=True)
class Stage:
    """One stage of the pipeline.

    Attributes:
        name: the word for it in settings, playbook, role, check file and test file.
        title: what it does, for people.
        step: what runs.
        after: names of the stages that must stand before it.
        checks: what must be true after it.
        asked: whether the settings ask for it at all, beside its switch in `stages`.
    """

    name: str
    title: str
    step: TerraformStack | Playbook
    after: tuple[str, ...] = ()
    checks: tuple[Check, ...] = field(default=())
    asked: Callable[[Settings], bool] = lambda _settings: True
