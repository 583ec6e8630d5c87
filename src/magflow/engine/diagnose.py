"""Diagnosis of the clusters of an environment: looks everywhere once, judges, and changes nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from magflow.checks.diagnosis import Diagnosis, diagnose
from magflow.checks.world import World
from magflow.cloud import evidence as cloud_evidence
from magflow.cloud import magnum, marks
from magflow.cloud.evidence import Evidence
from magflow.engine.access import file_of, open_cluster
from magflow.engine.journal import Journal
from magflow.engine.run_folder import RunFolder
from magflow.errors import CannotTell, MagflowError
from magflow.kube import cluster_api, health
from magflow.kube.client import connect
from magflow.kube.retry import Patience


@dataclass(frozen=True)
class Diagnosed:
    """A diagnosis and what it stands on."""

    diagnosis: Diagnosis
    evidence: Evidence


def clusters(
    world: World, run: RunFolder, *, only: str | None = None, management: Path | None = None
) -> list[Diagnosed]:
    """Diagnoses every cluster of the environment, or one.

    Args:
        world: settings and cloud.
        run: the environment's run folder.
        only: name of one cluster.
        management: kubeconfig of the management cluster of a Cluster API driver; it is only read.

    Raises:
        CannotTell: no cluster of that name is in the settings; the cloud does not answer.
    """
    names = world.settings.cluster_names
    if only and only not in names:
        raise CannotTell(f"the settings have no cluster '{only}'", hint=f"clusters: {', '.join(names)}")
    asked = asked_to_delete(Journal(run.journal))
    return [found for name in ([only] if only else names) for found in _named(world, run, name, asked, management)]


def gather(world: World, run: RunFolder, identifier: str, name: str, management: Path | None = None) -> Evidence:
    """Everything that is to be seen of one cluster.

    Args:
        world: settings and cloud.
        run: the environment's run folder.
        identifier: Magnum's id.
        name: the cluster's name.
        management: kubeconfig of the management cluster.
    """
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    cluster = magnum.show(world.cloud, identifier)
    if cluster is None:
        return Evidence(name, now)
    mark = marks.of_cluster(world.cloud, cluster).clusters[0]
    seen = cloud_evidence.gather(world.cloud, mark, now)
    if seen.cluster:
        _look_inside(seen, world, run, mark.groups)
    if management:
        try:
            kube, name_there = connect(management), mark.stack_id
            patience = Patience(health.PATIENCE)
            seen.objects = patience.call(lambda: cluster_api.objects(kube, name_there)) if name_there else []
        except MagflowError as error:
            seen.unseen.append(f"management cluster: {error.what}")
    cloud_evidence.add_quotas(world.cloud, seen)
    return seen


def asked_to_delete(journal: Journal) -> str:
    """When this environment began a destroy that has not ended; empty when it did not."""
    asked = ""
    for event in journal.events():
        match event["event"]:
            case "destroy_started":
                asked = asked or str(event["time"])
            case "destroy_finished" | "deploy_started":
                asked = ""
    return asked


def _named(world: World, run: RunFolder, name: str, asked: str, management: Path | None) -> Iterator[Diagnosed]:
    found = [cluster for cluster in magnum.clusters(world.cloud) if cluster.name == name]
    for identifier in [cluster.id for cluster in found] or [""]:
        if identifier:
            seen = gather(world, run, identifier, name, management)
        else:
            seen = Evidence(name, dt.datetime.now(dt.UTC).isoformat(timespec="seconds"))
        seen.delete_asked = asked
        yield Diagnosed(diagnose(seen), seen)


def _look_inside(seen: Evidence, world: World, run: RunFolder, groups: tuple[str, ...]) -> None:
    # while a cluster is deleted its API goes first, and that is no news
    if not seen.cluster.get("api_address") or str(seen.cluster.get("status")).startswith("DELETE"):
        return
    file = file_of(run.create(), world.settings.cluster.name, seen.name)
    try:
        kube = open_cluster(world.cloud, seen.cluster, file)
    except MagflowError as error:
        seen.unseen.append(f"the cluster's API: {error.what}")
        return
    seen.kube = health.look(kube, groups, seen.cluster.get("stack_id") or seen.name)
