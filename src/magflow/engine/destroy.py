"""Destroy: what the cluster made in the cloud first, then the stack, then the proof that nothing is left."""

from __future__ import annotations

import time

import tenacity

from magflow.checks.model import Check, NotApplicable, Problem
from magflow.checks.world import World
from magflow.cloud import leftovers, magnum
from magflow.engine import report
from magflow.engine.deploy import open_world
from magflow.engine.journal import Journal
from magflow.engine.progress import Progress
from magflow.engine.run_folder import RunFolder
from magflow.engine.stack import open_stack
from magflow.engine.verify import Result, run_checks
from magflow.errors import CannotTell, MagflowError
from magflow.settings_file import Environment

RELEASE_WITHIN = 300.0
"""Seconds that the cluster's controllers get to delete load balancers and volumes."""


def destroy(env: Environment, run: RunFolder, progress: Progress) -> list[Result]:
    """Takes the environment down.

    Args:
        env: the environment.
        run: its run folder; the caller holds its lock.
        progress: is told everything as it happens.

    Returns:
        the results of the proof.

    Raises:
        MagflowError: a step failed; the same command goes on.
    """
    journal = Journal(run.journal)
    world = open_world(env, run)
    marks = _marks(world, journal)
    journal.write("destroy_started", marks=sorted(marks))
    started = time.monotonic()

    progress.heading("cluster", "What the cluster made in the cloud")
    progress.done("released", _release(world, run, progress), time.monotonic() - started)

    progress.heading("cluster", "Node groups, cluster and cluster template")
    began = time.monotonic()
    terraform = open_stack("cluster", run, env.settings)
    terraform.init()
    terraform.destroy(progress.now)
    progress.done("destroyed", "", time.monotonic() - began)

    progress.heading("proof", "Nothing is left in the cloud")
    results = run_checks("proof", [_proof(marks)], world, on_result=progress.result)
    report.write(run, results, [])
    if all(result.good for result in results):
        for file in (run.kubeconfig, run.facts_file):
            file.unlink(missing_ok=True)
        journal.write("destroy_finished", seconds=time.monotonic() - started)
    return results


def _marks(world: World, journal: Journal) -> set[str]:
    """What the cluster's things in the cloud are named after; remembered from a destroy that did not end."""
    marks = {world.settings.cluster.name}
    for event in journal.events():
        if event["event"] == "destroy_started":
            marks |= set(event.get("marks", ()))
        elif event["event"] == "destroy_finished":
            marks = {world.settings.cluster.name}
    for cluster in magnum.clusters(world.cloud):
        if cluster.name == world.settings.cluster.name:
            marks |= {cluster.id, cluster.stack_id}
    if world.known_facts:
        marks |= {world.known_facts.cluster.id, world.known_facts.template_id}
    return marks - {""}


def _release(world: World, run: RunFolder, progress: Progress) -> str:
    """Deletes Services of type LoadBalancer and PersistentVolumeClaims and waits until they are gone.

    Magnum deletes the cluster, not what its controllers made (stackhpc/magnum-terraform's README warns of it).
    """
    if not run.kubeconfig.is_file():
        return "no kubeconfig, so nothing was asked for in the cluster"
    try:
        for kind, namespace, name in _holders(world):
            progress.now(f"deleting {kind} {namespace}/{name}")
            world.kube.delete("v1", kind, name, namespace)
        gone = tenacity.Retrying(
            stop=tenacity.stop_after_delay(RELEASE_WITHIN * world.settings.cloud.time_scale),
            wait=tenacity.wait_exponential(multiplier=0.5, max=5),
            retry=tenacity.retry_if_result(bool),
        )
        gone(lambda: _holders(world))
    except CannotTell as error:
        return f"the cluster does not answer ({error.what}); the proof below will tell what it left"
    except tenacity.RetryError:
        left = ", ".join(f"{kind} {namespace}/{name}" for kind, namespace, name in _holders(world))
        raise MagflowError(
            f"still there after {RELEASE_WITHIN:.0f} s: {left}", hint="look at their finalizers and events, then again"
        ) from None
    return "no load balancer and no volume is held"


def _holders(world: World) -> list[tuple[str, str, str]]:
    services = [s for s in world.kube.each("v1", "Service") if s["spec"].get("type") == "LoadBalancer"]
    claims = list(world.kube.each("v1", "PersistentVolumeClaim"))
    return [(o["kind"], o["metadata"]["namespace"], o["metadata"]["name"]) for o in (*services, *claims)]


def _proof(marks: set[str]) -> Check:
    def nothing_is_left(world: World) -> str:
        left, looked = leftovers.find(world.cloud, marks)
        if left:
            raise Problem(
                f"{len(left)} left: " + "; ".join(str(thing) for thing in left), hint="delete them, then destroy again"
            )
        if not looked:
            raise NotApplicable("no service of the cloud could be looked into")
        return f"looked into {', '.join(looked)}"

    return Check("nothing-is-left", "no service of the cloud knows the cluster any more", nothing_is_left, within=60)
