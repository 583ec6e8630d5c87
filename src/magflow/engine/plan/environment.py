"""The plan of a whole environment: all stacks that a deploy would apply, examined as one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from magflow import stages
from magflow.cloud import connection, magnum
from magflow.engine.plan import PlanSummary, guard
from magflow.engine.plan.shown import Plan
from magflow.engine.run_folder import RunFolder
from magflow.engine.stack import live_counts, open_stack
from magflow.errors import CannotTell, MagflowError
from magflow.settings_file import Environment
from magflow.stages.model import TerraformStack


def plan(env: Environment, run: RunFolder, allow: Collection[str] = ()) -> Plan:
    """What a deploy would change. Nothing is written to the cloud.

    Args:
        env: the environment.
        run: its run folder; the caller holds its lock.
        allow: addresses that the guard lets through.

    Raises:
        CannotTell: a stack needs what an earlier one has yet to make.
        MagflowError: with Terraform's own words.
    """
    settings = live_counts.adopt(env.settings, lambda: connection.connect(env.settings.cloud))
    found = PlanSummary((), (), ())
    for stage in stages.enabled(settings):
        if isinstance(stage.step, TerraformStack):
            found += _of_stack(stage.step.stack, replace(env, settings=settings), run, found)
    users = magnum.template_users(connection.connect(env.settings.cloud)) if guard.asks_for_users(found) else None
    return Plan(found, guard.examine(found, allow, tainted_is_broken=True, users=users))


def _of_stack(stack: str, env: Environment, run: RunFolder, before: PlanSummary) -> PlanSummary:
    terraform = open_stack(stack, run, env.settings)
    terraform.init()
    try:
        return terraform.plan().found
    except MagflowError as error:
        if not before.created:
            raise
        names = ", ".join(change.address for change in before.created)
        raise CannotTell(
            f"stack '{stack}' cannot be planned before {names} is there: {error.what}",
            where=error.where,
            hint=f"magflow deploy {env.name}",
        ) from None
