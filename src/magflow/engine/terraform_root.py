"""The root module of a run: it lies in the run's folder, with state, lock file and plans, and calls the stack."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from magflow.errors import MagflowError
from magflow.private import private_folder, write_private

_HEAD = """\
# Written by magflow for every run; edit the settings instead.
terraform {
  required_version = ">= 1.9.0"

  backend "local" {
    path = "terraform.tfstate"
  }
}
"""


def write_root(folder: Path, stack: Path, variables: Mapping[str, Any]) -> None:
    """Writes main.tf and terraform.tfvars.json of a run.

    The provider is the stack's own business; a child module may hold it because the root is never taken apart.

    Args:
        folder: the run's folder for Terraform; made with mode 0700, the files with 0600.
        stack: the stack, `.../terraform/stacks/NAME`; its modules lie in `.../terraform/modules`.
        variables: the stack's variables, all of them.

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
    outputs = (
        '\noutput "facts" {\n  value = module.stack.facts\n}\n'
        '\noutput "kubeconfig" {\n  value     = module.stack.kubeconfig\n  sensitive = true\n}\n'
    )
    write_private(folder / "main.tf", _HEAD + declared + module + outputs)
    write_private(folder / "terraform.tfvars.json", json.dumps(variables, indent=2, sort_keys=True) + "\n")
