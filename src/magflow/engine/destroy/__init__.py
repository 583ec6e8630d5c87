"""Destroy: what the clusters made in the cloud first, then the stacks, then the proof that nothing is left."""

from __future__ import annotations

import time

from magflow.checks.diagnosis import Diagnosis, diagnose
from magflow.checks.world import World
from magflow.cloud import magnum
from magflow.cloud.magnum import Held
from magflow.cloud.ownership import Marks
from magflow.engine import diagnose as looking
from magflow.engine import report
from magflow.engine.access import file_of, open_cluster
from magflow.engine.destroy import proof, release
from magflow.engine.journal import Journal
from magflow.engine.progress import Progress
from magflow.engine.run_folder import RunFolder
from magflow.engine.stack import deletion, open_stack, stacks_to_destroy, status_race
from magflow.engine.verify import Result
from magflow.engine.world import open_world
from magflow.errors import CannotTell, MagflowError
from magflow.settings_file import Environment


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
    marks = proof.gather(world, run)
    journal.write("destroy_started", marks=marks.as_dict())
    started = time.monotonic()

    progress.heading("clusters", "What the clusters made in the cloud")
    for cluster in _alive(world, marks):
        began = time.monotonic()
        words, told = _release(world, run, progress, cluster)
        marks |= _remember(journal, told)
        progress.done("released", f"cluster '{cluster.name}': {words}", time.monotonic() - began)

    for stack in stacks_to_destroy(run, env.settings):
        progress.heading(stack, "What Terraform made")
        began = time.monotonic()
        terraform = open_stack(stack, run, env.settings)
        terraform.init()
        marks |= _remember(journal, Marks(made=proof.made_by(terraform.held())))
        racing = status_race.Riding(terraform, status_race.waiter_of(world, journal, progress.now))
        deletion.destroy(racing, _waiter(world, run, progress, marks), progress.now)
        progress.done("destroyed", "", time.monotonic() - began)

    progress.heading("proof", "Nothing is left in the cloud")
    results = proof.prove(marks, world, progress)
    report.write(run, results, [])
    if all(result.good for result in results):
        for file in (run.kubeconfig, run.facts_file, *run.kubeconfigs.glob("*")):
            file.unlink(missing_ok=True)
        journal.write("destroy_finished", seconds=time.monotonic() - started)
    return results


def _remember(journal: Journal, told: Marks) -> Marks:
    """Writes down what only a cluster or a state can tell: it must outlive them, and this process."""
    journal.write("marked", marks=told.as_dict())
    return told


def _alive(world: World, marks: Marks) -> list[Held]:
    """The environment's clusters that Magnum still has."""
    return [cluster for cluster in magnum.clusters(world.cloud) if marks.own("cluster", cluster)]


def _release(world: World, run: RunFolder, progress: Progress, cluster: Held) -> tuple[str, Marks]:
    """Lets a cluster give back what its controllers made; one that does not answer is no hindrance."""
    told = Marks()
    if cluster.status.startswith("DELETE_"):
        return "it is being deleted already", told
    shown = magnum.show(world.cloud, cluster.id)
    if shown is None:
        return "it is gone", told
    try:
        kube = open_cluster(world.cloud, shown, file_of(run, world.settings.cluster.name, cluster.name))
        told = release.held(kube)
        within = release.WITHIN * world.settings.cloud.time_scale
        return release.release(kube, progress.now, within), told
    except CannotTell as error:
        return f"it does not answer ({error.what}); the proof below will tell what it left", told
    except MagflowError as error:
        if cluster.status.endswith("_COMPLETE"):
            raise
        # one that was never whole may have an API without a certificate, or controllers that do not run
        return f"{cluster.status}, and: {error.what}", told


def _waiter(world: World, run: RunFolder, progress: Progress, marks: Marks) -> deletion.Waiter:
    def why(cluster: Held) -> Diagnosis:
        management = world.settings.cloud.management_kubeconfig
        seen = looking.gather(world, run, cluster.id, cluster.name, management)
        seen.delete_asked = looking.asked_to_delete(Journal(run.journal))
        return diagnose(seen)

    return deletion.Waiter(
        lambda: _alive(world, marks),
        why,
        progress.now,
        warn=progress.finding,
        scale=max(1.0, world.settings.cloud.time_scale),
    )
