"""Offers the built provider to Terraform and OpenTofu by a filesystem mirror; the user's configuration stays."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from magflow_sandbox.home import write_private
from magflow_sandbox.toolchain.table import Tool

HOSTS = ("registry.terraform.io", "registry.opentofu.org")
SOURCE = "terraform-provider-openstack/openstack"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def lay_out(tool: Tool, program: Path, cache: Path) -> Path:
    """Put the provider where a mirror has it and write the CLI configuration that names the mirror; idempotent.

    Returns:
        The configuration, for ``TF_CLI_CONFIG_FILE``.
    """
    root = cache / "terraform" / "providers"
    version = tool.version.removeprefix("v")
    machine = _MACHINES.get(os.uname().machine, os.uname().machine)
    for host in HOSTS:
        place = root / host / SOURCE / version / f"linux_{machine}" / f"terraform-provider-openstack_v{version}"
        if not place.exists() or place.stat().st_size != program.stat().st_size:
            place.parent.mkdir(parents=True, exist_ok=True)
            temporary = place.with_name(".new")
            shutil.copy2(program, temporary)
            temporary.replace(place)
    config = cache / "terraform" / "cli.tfrc"
    text = configuration(root)
    if not config.exists() or config.read_text() != text:
        write_private(config, text)
    return config


def configuration(root: Path) -> str:
    """The CLI configuration: our provider from the mirror, every other one as usual."""
    ours = ", ".join(f'"{host}/{SOURCE}"' for host in HOSTS)
    return f"""provider_installation {{
  filesystem_mirror {{
    path    = "{root}"
    include = [{ours}]
  }}
  direct {{
    exclude = [{ours}]
  }}
}}
disable_checkpoint = true
"""
