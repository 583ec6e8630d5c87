"""What belongs to an environment in the cloud, and the proof that nothing of it is left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from magflow import findings
from magflow.checks.model import Check, NotApplicable, Problem
from magflow.checks.world import World
from magflow.cloud import leftovers, magnum
from magflow.cloud import marks as marking
from magflow.cloud.leftovers import Leftover
from magflow.cloud.ownership import Marks
from magflow.engine.journal import Journal
from magflow.engine.progress import Progress
from magflow.engine.run_folder import RunFolder
from magflow.engine.verify import Result, run_checks
from magflow.errors import MagflowError
from magflow.findings import Finding

LEFT_BEHIND = "LEFT_BEHIND"
PATIENCE = 60.0
"""Seconds that what was deleted may take to be gone from every list."""

KINDS = {
    "openstack_containerinfra_cluster_v1": "cluster",
    "openstack_containerinfra_clustertemplate_v1": "cluster template",
    "openstack_images_image_v2": "image",
    "openstack_compute_keypair_v2": "keypair",
    "openstack_networking_network_v2": "network",
    "openstack_networking_subnet_v2": "subnet",
    "openstack_networking_router_v2": "router",
    "openstack_networking_floatingip_v2": "floating IP",
    "openstack_networking_secgroup_v2": "security group",
}
"""Resources of the suite's stacks, in the words of `leftovers.KINDS`."""


def gather(world: World, run: RunFolder) -> Marks:
    """What belongs to the environment, as far as it can be told now; what was told before is remembered.

    A name alone makes nothing ours, since Magnum and Neutron take a name twice: ids of Terraform's state, of the facts
    and of the journal count, and a cluster's name only when a run that was making it was killed.

    Args:
        world: settings and cloud.
        run: the environment's run folder.

    Raises:
        MagflowError: Magnum does not answer.
    """
    journal = Journal(run.journal)
    marks = remembered(journal)
    made = _of_state(run)
    marks |= Marks(made=made)
    known = {mark.id for mark in marks.clusters} | set(made.get("cluster", ()))
    for facts in world.known_facts.clusters.values() if world.known_facts else ():
        known |= {facts.id}
        marks |= Marks(made={"cluster": frozenset({facts.id}), "cluster template": frozenset({facts.template_id})})
    names = set(world.settings.cluster_names) if killed(journal) else set()
    for cluster in magnum.clusters(world.cloud):
        if cluster.id in known or cluster.name in names:
            told = magnum.show(world.cloud, cluster.id)
            marks |= marking.of_cluster(world.cloud, told) if told else Marks()
    return marks


def remembered(journal: Journal) -> Marks:
    """What an earlier destroy has written down; kept after it, so that the proof can be repeated."""
    marks = Marks()
    for event in journal.events():
        if event["event"] in {"destroy_started", "marked"} and isinstance(event.get("marks"), Mapping):
            marks |= Marks.of(event["marks"])
    return marks


def killed(journal: Journal) -> bool:
    """Whether a run ended while the stage `cluster` was being made, so that Terraform may have lost what it made."""
    open_ended = False
    for event in journal.events():
        match event["event"]:
            case "stage_started" if event["stage"] == "cluster":
                open_ended = True
            case "stage_finished" | "stage_failed" if event["stage"] == "cluster":
                open_ended = False
            case "destroy_finished":
                open_ended = False
    return open_ended


def run(world: World, run: RunFolder, progress: Progress, *, patient: bool = True) -> list[Result]:
    """Looks for everything of the environment in the cloud.

    Args:
        world: settings and cloud.
        run: its run folder.
        progress: is told the results.
        patient: wait for what is on its way out.
    """
    return prove(gather(world, run), world, progress, patient=patient)


def prove(marks: Marks, world: World, progress: Progress, *, patient: bool = True) -> list[Result]:
    """As `run`, for what is known to belong to the environment."""
    return run_checks("proof", [nothing_is_left(marks)], world, patient=patient, on_result=progress.result)


def nothing_is_left(marks: Marks) -> Check:
    """The check: true when no service has anything of these marks."""

    def probe(world: World) -> str:
        found = leftovers.find(world.cloud, marks)
        unseen = f"; not seen: {', '.join(found.unseen)}" if found.unseen else ""
        if found.left:
            raise Problem(
                f"{_counted(found.left)}{unseen}",
                hint="delete them in this order, then ask again: magflow leftovers ENV",
                findings=[_finding(thing) for thing in found.left],
            )
        if not found.looked:
            raise NotApplicable("no service of the cloud could be looked into")
        return f"nothing left; looked into {', '.join(found.looked)}{unseen}"

    return Check("nothing-is-left", "no service of the cloud has anything of the environment", probe, within=PATIENCE)


def _finding(thing: Leftover) -> Finding:
    return findings.error(
        LEFT_BEHIND, f"{thing.service} {thing.kind} {thing.id}", thing.name or "no name", thing.delete
    )


def _counted(left: list[Leftover]) -> str:
    kinds = [thing.kind for thing in left]
    return f"{len(left)} left: " + ", ".join(f"{kinds.count(kind)} x {kind}" for kind in dict.fromkeys(kinds))


def _of_state(run: RunFolder) -> dict[str, frozenset[str]]:
    """Ids of what Terraform's states in the run folder hold, by kind; a destroy asks for those that lie elsewhere."""
    found = Marks()
    for file in sorted(run.path.glob("terraform*/**/terraform.tfstate")):
        try:
            state = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise MagflowError(f"cannot read Terraform's state: {error}", where=str(file)) from None
        found |= Marks(made=made_by(state))
    return dict(found.made)


def made_by(state: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Ids of every resource that a state of Terraform manages, by kind; data sources are others' things."""
    ids: dict[str, set[str]] = {}
    for resource in state.get("resources", ()):
        kind = KINDS.get(resource["type"]) if resource.get("mode") == "managed" else None
        for instance in resource.get("instances", ()) if kind else ():
            identifier = (instance.get("attributes") or {}).get("id")
            if kind and identifier:
                ids.setdefault(kind, set()).add(str(identifier))
    return {kind: frozenset(found) for kind, found in ids.items()}
