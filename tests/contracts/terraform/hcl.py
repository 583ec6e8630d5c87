"""Reads the suite's own Terraform files. They are formatted (a test sees to it), so indentation tells blocks apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from magflow.paths import root

TERRAFORM = root() / "terraform"
MODULES = sorted(str(file.parent.relative_to(TERRAFORM)) for file in TERRAFORM.glob("*/*/versions.tf"))

_TOP = re.compile(r'^(\w+)((?: "[^"]*")*) \{\n(.*?)^\}$', re.MULTILINE | re.DOTALL)
_RULE = re.compile(
    r"^(?P<indent> {2,4})(?:validation|precondition|postcondition) \{\n.*?^(?P=indent)\}\n", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A top-level block: its kind, its labels, its text and the file it is in."""

    kind: str
    labels: tuple[str, ...]
    body: str
    file: Path

    @property
    def target(self) -> str:
        """What `expect_failures` calls it."""
        prefix = {"variable": "var.", "output": "output.", "data": "data."}.get(self.kind, "")
        return prefix + ".".join(self.labels)


@dataclass(frozen=True)
class Rule:
    """A validation, precondition or postcondition."""

    module: str
    block: Block
    text: str

    @property
    def message(self) -> str:
        found = re.search(r'error_message = "(.*)"$', self.text, re.MULTILINE)
        assert found, self.text
        return found[1]

    def __str__(self) -> str:
        return f"{self.module} {self.block.target}: {self.message[:50]}"


@dataclass(frozen=True)
class Run:
    """A run of a test file."""

    module: str
    name: str
    text: str

    @property
    def expects_failure_of(self) -> str | None:
        found = re.search(r"expect_failures = \[(.*)\]", self.text)
        return found[1] if found else None

    def __str__(self) -> str:
        return f"{self.module} {self.name}"


def blocks(module: str) -> list[Block]:
    """The top-level blocks of a module."""
    return [
        Block(found[1], tuple(re.findall(r'"([^"]*)"', found[2])), found[3], file)
        for file in sorted((TERRAFORM / module).glob("*.tf"))
        for found in _TOP.finditer(file.read_text())
    ]


def rules(module: str) -> list[Rule]:
    """The rules of a module."""
    return [Rule(module, block, found[0]) for block in blocks(module) for found in _RULE.finditer(block.body)]


def runs(module: str) -> list[Run]:
    """The test runs of a module."""
    return [
        Run(module, re.findall(r'"([^"]*)"', found[2])[0], found[0])
        for file in sorted((TERRAFORM / module / "tests").glob("*.tftest.hcl"))
        for found in _TOP.finditer(file.read_text())
        if found[1] == "run"
    ]
