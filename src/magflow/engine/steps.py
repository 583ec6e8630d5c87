"""The two kinds of step: apply a Terraform stack, run a playbook. Each tells its inputs' digest before it runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from magflow import handoff, paths
from magflow.checks.world import World
from magflow.engine.ansible import run_playbook
from magflow.engine.run_folder import RunFolder
from magflow.engine.stack.apply import Tell, apply_stack
from magflow.errors import CannotTell
from magflow.stages.model import Playbook, Stage, TerraformStack

CHECKS_WAIT = {"training_operator_wait": 0, "smoke_wait": 0}
"""The roles wait for what they apply when they are used alone; here the stage's checks do, and say more."""


@dataclass(frozen=True)
class StepResult:
    """What a step did: how many things it changed, and in words."""

    changed: int
    summary: str


def digest(stage: Stage, run: RunFolder, world: World) -> str:
    """Digest of everything that the stage's step is given; equal digests mean equal inputs."""
    match stage.step:
        case TerraformStack(stack):
            given: Any = handoff.stack_vars(stack, world.settings)
            folder = paths.root() / "terraform"
            files = _read([*(folder / "stacks" / stack).glob("*.tf"), *folder.glob("modules/*/*.tf")])
        case Playbook(playbook):
            files = _read((paths.root() / "roles" / playbook).rglob("*"))
            variables = handoff.ansible_vars(world.settings, world.known_facts, run.kubeconfig)
            # a variable that the role does not name cannot change what it does
            given = {name: value for name, value in variables.items() if any(name in text for text in files.values())}
    return hashlib.sha256(json.dumps([given, files], sort_keys=True).encode()).hexdigest()


def _read(files: Iterable[Path]) -> dict[str, str]:
    # an editor's swap file in a role is no text, and no reason to stop
    return {
        str(file.relative_to(paths.root())): file.read_text(encoding="utf-8", errors="replace")
        for file in files
        if file.is_file()
    }


def run_step(stage: Stage, run: RunFolder, world: World, tell: Tell, allow: Collection[str] = ()) -> StepResult:
    """Runs the step of a stage.

    Raises:
        MagflowError: it failed; with the program's own words and the log's path.
    """
    match stage.step:
        case TerraformStack(stack):
            count, summary = apply_stack(stack, run, world, tell, allow)
            return StepResult(count, summary)
        case Playbook(playbook):
            return _play(playbook, run, world, tell)


def _play(playbook: str, run: RunFolder, world: World, tell: Tell) -> StepResult:
    if not run.kubeconfig.is_file():
        raise CannotTell("there is no kubeconfig yet", where=str(run.kubeconfig), hint="deploy the stage cluster first")
    run.write_json(run.inventory, handoff.inventory())
    variables = handoff.ansible_vars(world.settings, world.known_facts, run.kubeconfig) | CHECKS_WAIT
    run.write_json(run.ansible_vars, variables)
    result = run_playbook(
        playbook,
        run.path / "ansible",
        inventory=run.inventory,
        variables=run.ansible_vars,
        log=run.logs / f"{playbook}.log",
        on_task=tell,
    )
    return StepResult(result.changed, f"ok={result.ok} changed={result.changed}")
