"""Runs Ansible's programs of this Python on the checkout as a collection, away from the user's own configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Ansible:
    """Programs of Ansible; `scratch` takes what they write, `collections` is where they look for collections."""

    scratch: Path
    collections: Path

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of every run."""
        kept = {key: os.environ[key] for key in ("LANG", "LC_ALL", "TMPDIR") if key in os.environ}
        return {
            **kept,
            "LC_ALL": "C.UTF-8",
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.scratch),
            "ANSIBLE_HOME": str(self.scratch / ".ansible"),
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.collections),
            "ANSIBLE_NOCOLOR": "1",
            "NO_COLOR": "1",
            **more,
        }

    def run(self, program: str, *args: str | Path, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end."""
        return subprocess.run(
            [str(BIN / program), *map(str, args)],
            cwd=cwd,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=600,
        )

    def playbook(self, playbook: str | Path, *args: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs a playbook with the example inventory."""
        return self.run("ansible-playbook", "-i", ROOT / "inventories/example", playbook, *args, **more)


def link_checkout(folder: Path) -> Path:
    """A collections folder whose magflow.platform is the checkout."""
    (folder / "ansible_collections/magflow").mkdir(parents=True)
    (folder / "ansible_collections/magflow/platform").symlink_to(ROOT)
    return folder
