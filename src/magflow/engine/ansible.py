"""Runs a playbook by ansible-runner: progress by events, the whole output in a log, failures in Ansible's own words."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ansible_runner

from magflow import paths
from magflow.errors import MagflowError
from magflow.private import private_folder


@dataclass
class PlaybookResult:
    """How many tasks changed something, and what failed."""

    changed: int = 0
    ok: int = 0
    failures: list[str] = field(default_factory=list)


def run_playbook(
    playbook: str,
    folder: Path,
    *,
    inventory: Path,
    variables: Path,
    log: Path,
    on_task: Callable[[str], None] = lambda _name: None,
    check: bool = False,
) -> PlaybookResult:
    """Runs one playbook of the suite.

    Args:
        playbook: its name under playbooks/.
        folder: ansible-runner's own folder.
        inventory: inventory file.
        variables: file of extra variables.
        log: gets Ansible's whole output.
        on_task: told the name of each task as it starts.
        check: check mode with differences.

    Raises:
        MagflowError: a task failed; with its name and message.
    """
    result = PlaybookResult()
    private_folder(folder)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:

        def on_event(event: dict[str, Any]) -> bool:
            if event.get("stdout"):
                stream.write(event["stdout"] + "\n")
                stream.flush()
            _note(event, result, on_task)
            return False  # ansible-runner keeps no file of its own for the event: it would hold module arguments

        run = ansible_runner.run(
            private_data_dir=str(folder),
            project_dir=str(paths.root()),
            playbook=str(paths.root() / paths.PLAYBOOKS / f"{playbook}.yml"),
            inventory=str(inventory),
            cmdline=f"-e @{variables}" + (" --check --diff" if check else ""),
            envvars=environment(),
            suppress_env_files=True,
            event_handler=on_event,
            quiet=True,
            rotate_artifacts=1,
        )
    if run.status != "successful":
        what = "; ".join(result.failures) or f"the playbook ended as '{run.status}'"
        raise MagflowError(
            f"playbook {playbook}: {what}", where=str(log), hint="mend what it says, then the same command goes on"
        )
    return result


def environment() -> dict[str, str]:
    """What Ansible needs in its environment beside the user's own."""
    root = paths.root()
    return {
        "ANSIBLE_CONFIG": str(root / "ansible.cfg"),
        "ANSIBLE_COLLECTIONS_PATH": str(root / ".cache" / "collections"),
        "ANSIBLE_NOCOLOR": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }


def _note(event: dict[str, Any], result: PlaybookResult, on_task: Callable[[str], None]) -> None:
    data = event.get("event_data") or {}
    answer = data.get("res") or {}
    match event.get("event"):
        case "playbook_on_task_start":
            on_task(str(data.get("name") or data.get("task") or ""))
        case "playbook_on_stats":
            result.ok = sum((data.get("ok") or {}).values())
            result.changed = sum((data.get("changed") or {}).values())
        case "runner_on_failed" if not data.get("ignore_errors"):
            result.failures.append(f"{data.get('task')}: {answer.get('msg') or 'failed without a message'}")
        case "runner_on_unreachable":
            result.failures.append(f"{data.get('host')} is unreachable: {answer.get('msg')}")
