"""The step of a stage that applies a Terraform stack: plan, mend what a crash left, guard, apply, keep the facts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from magflow.checks.world import World
from magflow.cloud import kubeconfig, magnum
from magflow.engine.journal import Journal
from magflow.engine.plan import PlanSummary
from magflow.engine.run_folder import RunFolder
from magflow.engine.stack import Plan, Stack, live_counts, open_stack, status_race
from magflow.engine.stack.recovery import Recovery
from magflow.engine.terraform import at_once
from magflow.facts import Facts
from magflow.private import private_folder

Tell = Callable[[str], None]
"""Is told, in a few words, what a running step does now."""

CLUSTER_STACK = "cluster"
"""The stack (and the stage) of the clusters."""


def apply_stack(stack: str, run: RunFolder, world: World, tell: Tell, allow: Collection[str] = ()) -> tuple[int, str]:
    """Applies a stack.

    Args:
        stack: its name under terraform/stacks.
        run: the environment's run folder.
        world: settings and clients; the stack `cluster` gives it its facts.
        tell: is told what is done now.
        allow: addresses of what the guard lets through.

    Returns:
        how many resources were changed, and what was done in words.

    Raises:
        MagflowError: it failed, or the guard refuses it.
    """
    if stack == CLUSTER_STACK:
        world.settings = live_counts.adopt(world.settings, lambda: world.cloud)
    terraform = open_stack(stack, run, world.settings)
    tell("terraform init")
    terraform.init(tell)
    plan = first = _planned(terraform, stack, run, world, tell, allow)
    if not first.empty:

        def act() -> None:
            terraform.apply(tell, at_once.of_plan(plan.found, world.settings.terraform.clusters_at_once))

        def again() -> bool:
            nonlocal plan
            plan = _planned(terraform, stack, run, world, tell, allow)
            # what was deleted meanwhile is drift alone; applying it takes it out of the state
            return not plan.empty or bool(plan.found.drift)

        status_race.ride_out(act, status_race.waiter_of(world, Journal(run.journal), tell), again)
    if stack == CLUSTER_STACK:
        take_facts(terraform.outputs(), run, world)
        _take_kubeconfigs(run, world, tell)
    return first.count, _summary(first)


def _summary(plan: Plan) -> str:
    """What a plan did, and what the guard only warned of."""
    words = "no changes" if plan.empty else plan.summary
    warned = ", ".join(dict.fromkeys(finding.code for finding in plan.findings))
    return f"{words}; warned of {warned}" if warned else words


def take_facts(outputs: dict[str, Any], run: RunFolder, world: World) -> None:
    """Keeps the stack's facts in the run folder and in the world."""
    world.known_facts = Facts.parse(
        outputs.get("facts"), where="output `facts` of the stack", main=world.settings.cluster.name
    )
    run.write_json(run.facts_file, world.known_facts.model_dump(mode="json"))


def _planned(terraform: Stack, stack: str, run: RunFolder, world: World, tell: Tell, allow: Collection[str]) -> Plan:
    """A plan that the guard lets through, after what a crash left was mended."""
    tell("terraform plan")

    def users() -> dict[str, dict[str, str]]:
        return magnum.template_users(world.cloud)

    plan = terraform.plan(tell, allow, users)
    if stack == CLUSTER_STACK and _mended(terraform, plan.found, run, world, tell):
        plan = terraform.plan(tell, allow, users)
    plan.refuse()
    if allowed := sorted({finding.path for finding in plan.findings if finding.path in allow}):
        Journal(run.journal).write("plan_allowed", stack=stack, addresses=allowed)
    return plan


def _mended(terraform: Stack, found: PlanSummary, run: RunFolder, world: World, tell: Tell) -> bool:
    """Whether what a crash left of any cluster was mended."""
    interrupted = Journal(run.journal).interrupted(CLUSTER_STACK)
    mended = False
    for name in world.settings.cluster_names:
        settings = world.settings.of_cluster(name)
        recovery = Recovery(
            terraform,
            world.cloud,
            name,
            patience=settings.cluster.create_timeout * settings.cloud.time_scale,
            interrupted=interrupted,
            tell=tell,
        )
        own = tuple(change for change in found.changes if at_once.cluster_of(change) == name)
        mended |= recovery.settle(replace(found, changes=own))
    return mended


def _take_kubeconfigs(run: RunFolder, world: World, tell: Tell) -> None:
    """The first cluster's kubeconfig is the run's own; those of the others lie beside it, by name."""
    for name, cluster in world.facts.clusters.items():
        tell(f"kubeconfig of {name} from Magnum")
        main = name == world.facts.main
        kubeconfig.fetch(world.cloud, cluster, run.kubeconfig if main else private_folder(run.kubeconfigs) / name)
    world.__dict__.pop("kube", None)  # a client of the former kubeconfig
