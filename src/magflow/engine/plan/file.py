"""A plan that somebody else made, from a file: `terraform show -json PLAN`, of Terraform or of OpenTofu."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from magflow.engine.plan import PlanSummary, summarize
from magflow.errors import CannotTell

CONVERT = "terraform show -json {file} > plan.json (or tofu show -json), in the folder that the plan was made in"
STANDARD_INPUT = Path("-")
FORMAT = "1"
"""The major format version that Terraform since 1.1 and OpenTofu write; minor ones only add to it."""


def load(file: Path) -> PlanSummary:
    """The summary of a stored plan; `-` is standard input, so that no credential need be written to a file.

    Raises:
        CannotTell: there is no such file, or it holds no complete plan; says how to get one.
    """
    try:
        content = sys.stdin.buffer.read() if file == STANDARD_INPUT else file.read_bytes()
    except OSError as error:
        raise CannotTell(f"cannot read the plan: {error.strerror}", where=str(file)) from None
    plan = _decoded(content, file)
    _inspect(plan, file)
    try:
        return summarize(plan)
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise _no_plan(f"has not the form of a plan ({type(error).__name__}: {error})", file) from None


def _decoded(content: bytes, file: Path) -> Mapping[str, Any]:
    if content.startswith(b"PK\x03\x04"):
        raise _no_plan("is the plan itself, which only Terraform can read", file)
    if not content.strip():
        raise _no_plan("is empty", file)
    try:
        # bytes, since a redirection in PowerShell writes UTF-16
        plan = json.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        if content.lstrip().startswith(b'{"@level"'):
            raise _no_plan("holds the messages of `terraform plan -json`, not the plan", file) from None
        raise _no_plan(f"is no JSON ({error})", file) from None
    if not isinstance(plan, dict):
        raise _no_plan("is JSON but no object", file)
    return plan


def _inspect(plan: Mapping[str, Any], file: Path) -> None:
    if "encrypted_data" in plan:
        raise _no_plan("is a plan that OpenTofu has encrypted", file)
    if "@level" in plan:
        raise _no_plan("holds the messages of `terraform plan -json`, not the plan", file)
    if "lineage" in plan or ("values" in plan and "planned_values" not in plan):
        raise _no_plan("is a state, not a plan", file)
    version = str(plan.get("format_version", ""))
    if not version or not ({"resource_changes", "planned_values", "output_changes"} & plan.keys()):
        raise _no_plan("is JSON but no plan", file)
    if version.split(".")[0] != FORMAT:
        raise CannotTell(
            f"the plan has format version {version}; {FORMAT}.x is understood",
            where=f"{file} format_version",
            hint="make it with Terraform 1.1 or newer, or with OpenTofu",
        )
    if plan.get("errored"):
        raise CannotTell(
            "the plan ended in an error, so it is not whole", where=f"{file} errored", hint="mend that, and plan again"
        )


def _no_plan(what: str, file: Path) -> CannotTell:
    return CannotTell(f"the file {what}", where=str(file), hint=CONVERT.format(file="PLAN"))
