"""The root module of a run: it lies in the run's folder, with state, lock file and plans, and calls the stack."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from magflow.errors import MagflowError
from magflow.private import private_folder, write_private

LOCAL = 'backend "local" {\n    path = "terraform.tfstate"\n  }'
"""The state is a file in the run's folder."""

_HEAD = """\
# Written by magflow for every run; edit the settings instead.
terraform {
  required_version = ">= 1.9.0"

  %s
}
"""
_OUTPUT = re.compile(r'^output "(\w+)" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
_SENSITIVE = re.compile(r"^  sensitive\s*=\s*true$", re.MULTILINE)


def write_root(folder: Path, stack: Path, variables: Mapping[str, Any], backend: str = LOCAL) -> None:
    """Writes main.tf and terraform.tfvars.json of a run.

    The provider is the stack's own business; a child module may hold it because the root is never taken apart. The
    stack's outputs are passed on, sensitive ones as such.

    Args:
        folder: the run's folder for Terraform; made with mode 0700, the files with 0600.
        stack: the stack, `.../terraform/stacks/NAME`; its modules lie in `.../terraform/modules`.
        variables: the stack's variables, all of them.
        backend: the backend block; it holds no secret.

    Raises:
        MagflowError: there is no such stack.
    """
    stack = stack.resolve()
    if not (stack / "main.tf").is_file():
        raise MagflowError("there is no such Terraform stack", where=str(stack), hint="use a complete checkout")
    private_folder(folder)
    package = stack.parents[1]
    # Terraform links a folder before "//" as a package: "../../modules" may then not leave it.
    source = f"{package}//{stack.relative_to(package)}"
    declared = "".join(f'\nvariable "{name}" {{\n  type = any\n}}\n' for name in variables)
    passed = "".join(f"  {name} = var.{name}\n" for name in variables)
    module = f'\nmodule "stack" {{\n  source = {json.dumps(source)}\n\n{passed}}}\n'
    write_private(folder / "main.tf", _HEAD % backend + declared + module + _outputs(stack))
    write_private(folder / "terraform.tfvars.json", json.dumps(variables, indent=2, sort_keys=True) + "\n")


def _outputs(stack: Path) -> str:
    texts = [file.read_text(encoding="utf-8") for file in sorted(stack.glob("*.tf"))]
    found = [match for text in texts for match in _OUTPUT.finditer(text)]
    return "".join(
        f'\noutput "{match[1]}" {{\n  value     = module.stack.{match[1]}\n'
        + ("  sensitive = true\n}\n" if _SENSITIVE.search(match[2]) else "}\n")
        for match in found
    )
