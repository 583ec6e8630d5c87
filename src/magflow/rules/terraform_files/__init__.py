"""Somebody's own Terraform files for Magnum: what will go wrong with them, before a plan is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from magflow.findings import Finding
from magflow.rules.terraform_files import groups as terraform_files_groups
from magflow.rules.terraform_files import provider as terraform_files_provider
from magflow.rules.terraform_files import secrets as terraform_files_secrets
from magflow.rules.terraform_files.read import read

RULES = (
    terraform_files_provider.too_old,
    terraform_files_secrets.outputs,
    terraform_files_secrets.files,
    terraform_files_secrets.state,
    terraform_files_groups.parallel,
    terraform_files_groups.autoscaled,
)


@dataclass(frozen=True)
class Looked:
    """What was looked at, in words, and what was found."""

    summary: str
    findings: tuple[Finding, ...]


def examine(folder: Path) -> Looked:
    """Looks at a folder and at all below it.

    Raises:
        CannotTell: there is no such folder, no file in it, or one that is no HCL.
    """
    modules = read(folder)
    blocks = [block for module in modules.values() for block in module.blocks.values()]
    resources = sum(bool(block.kind) and not block.kind.startswith("data.") for block in blocks)
    return Looked(
        f"{_counted(len(modules), 'module')}, {_counted(resources, 'resource')}",
        tuple(finding for rule in RULES for finding in rule(modules)),
    )


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"
