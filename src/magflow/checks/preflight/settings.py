"""Preflight of the settings and of this machine; the cloud is not asked."""

from __future__ import annotations

from magflow import paths, programs
from magflow.checks.model import NotApplicable, Problem, Warned, check
from magflow.checks.world import World
from magflow.findings import errors
from magflow.rules import offline
from magflow.settings import DEFAULT_WORKER


@check("settings-fit", "settings, labels and versions go together, and Magnum's driver can do what they ask for")
def settings_fit(world: World) -> str:
    """Holds every cluster against the rules and tables; says for which driver, and how far that was tried."""
    looked = offline.look(world.settings)
    wrong = errors(looked.findings)
    if wrong:
        many = f"{len(wrong)} error{'s' * (len(wrong) > 1)}"
        raise Problem(f"{many}; {looked.words}", final=True, findings=looked.findings)
    if looked.findings:
        raise Warned(looked.words, findings=looked.findings)
    return looked.words


@check("workers-are-asked-for", "the groups of the cluster have workers")
def workers_are_asked_for(world: World) -> str:
    """Says how many machines will be asked for."""
    groups = world.settings.node_groups
    machines = sum(group.count for group in groups.values())
    gpus = sum(group.count * group.gpus for group in groups.values())
    control = world.settings.cluster.control_plane.count
    built_in = groups[DEFAULT_WORKER].count
    return f"{control} control plane, {machines} workers ({built_in} in {DEFAULT_WORKER}), {gpus} GPUs"


@check("programs-are-there", "terraform (or tofu), ansible-playbook and kubectl are in PATH")
def programs_are_there(_world: World) -> str:
    """Looks for the programs that the stages run."""
    missing = [name for name in ("terraform", "ansible-playbook", "kubectl") if not programs.find(name)]
    if missing:
        raise Problem(f"not found: {', '.join(missing)}", hint="scripts/setup brings them; see README")
    return ""


@check("manifests-are-there", "the training operator's manifests are there")
def manifests_are_there(world: World) -> str:
    """Looks for the folder that the settings name; that they name one is a rule of the settings."""
    folder = world.settings.training.manifests
    if not world.settings.stages.training_operator:
        raise NotApplicable("the stage training_operator is switched off")
    if folder is None:
        raise NotApplicable("training.manifests is not set")
    if not (folder / "base").is_dir():
        raise Problem(
            f"{folder} has no folder base", hint="set training.manifests to the operator's `manifests` folder"
        )
    return paths.shown(folder)
