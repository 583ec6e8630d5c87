"""Stage cluster: complete in Magnum, its API under the right CA, the version as asked, its nodes Ready.

Further clusters have no kubeconfig here, so that Magnum's own word on their node groups and health counts.
"""

from __future__ import annotations

from typing import Any

from magflow.checks.model import NotApplicable, Problem, Warned, check
from magflow.checks.world import World
from magflow.cloud import magnum
from magflow.cloud.connection import readable
from magflow.kube import nodes
from magflow.settings import Settings


@check("cluster-is-complete", "Magnum says that the cluster is complete", within=60, fatal=True)
def is_complete(world: World) -> str:
    """Reads the cluster's status."""
    facts = world.facts.cluster
    with readable(f"Magnum, cluster '{facts.name}'"):
        cluster = world.cloud.container_infrastructure_management.find_cluster(facts.id)
    if cluster is None:
        raise Problem(f"Magnum knows no cluster {facts.id}", hint="magflow deploy makes it again", final=True)
    if cluster.status.endswith("_FAILED"):
        raise Problem(
            f"{cluster.status}: {cluster.status_reason or 'Magnum gives no reason'}",
            hint=f"openstack coe cluster show {cluster.name} -f yaml",
            final=True,
        )
    if not cluster.status.endswith("_COMPLETE"):
        raise Problem(f"status is {cluster.status}", hint="Magnum is still at work on it")
    return str(cluster.status)


@check(
    "api-answers", "the cluster's API answers, and its certificate is signed by the cluster's CA", within=60, fatal=True
)
def api_answers(world: World) -> str:
    """Asks for the version, with the CA that Magnum gave."""
    return f"{world.kube.version()} at {world.kube.host}"


@check("version-is-asked", "the API server has the Kubernetes version that was asked for")
def version_is_asked(world: World) -> str:
    """Compares the API server with the settings."""
    found, wanted = world.kube.version(), world.settings.cluster.kubernetes
    # distributions add to the version: v1.28.9-rancher1, v1.36.3+k3s1
    if found.split("-")[0].split("+")[0] != wanted:
        raise Problem(f"it is {found}, asked for was {wanted}", hint="magflow plan shows what a deploy would change")
    return found


@check("nodes-are-ready", "every node group has as many Ready nodes as asked", within=300)
def nodes_are_ready(world: World) -> str:
    """Counts Ready nodes by group; a node too many is told."""
    groups = world.settings.node_groups
    fewest = {name: world.settings.fewest(name) for name in groups}
    found = nodes.by_group(world.kube.nodes(), groups, world.facts.cluster.name)
    ready = {group: [node for node in members if nodes.is_ready(node)] for group, members in found.items()}
    short = [
        f"'{name}' has {len(ready[name])} Ready of {least} asked"
        for name, least in fewest.items()
        if len(ready[name]) < least
    ]
    if short:
        raise Problem("; ".join(short), hint="kubectl get nodes; kubectl describe node NAME")
    more = [f"'{name}' has {len(found[name])}" for name, group in groups.items() if len(found[name]) > group.count]
    if more:
        raise Warned(f"more nodes than asked: {', '.join(more)}", hint="an autoscaler, or nodes on their way out")
    return ", ".join(f"{name} {len(members)}" for name, members in ready.items())


@check("control-plane-is-ready", "every control-plane node is Ready", within=300)
def control_plane_is_ready(world: World) -> str:
    """Counts Ready control-plane nodes."""
    found = [node for node in world.kube.nodes() if nodes.is_control_plane(node)]
    wanted = world.settings.cluster.control_plane.count
    ready = [node for node in found if nodes.is_ready(node)]
    if len(ready) < wanted:
        raise Problem(f"{len(ready)} of {wanted} are Ready", hint="kubectl get nodes")
    return f"{len(ready)}"


@check("further-clusters-are-complete", "every further cluster is complete, with the nodes asked", within=300)
def further_clusters_are_complete(world: World) -> str:
    """Reads each of them and its node groups in Magnum."""
    names = world.settings.cluster_names[1:]
    if not names:
        raise NotApplicable("the environment has one cluster")
    said, wrong, final = [], [], False
    for name in names:
        known = world.facts.clusters.get(name)
        cluster = magnum.show(world.cloud, known.id) if known else None
        if cluster is None:
            raise Problem(f"Magnum knows no cluster '{name}'", hint="magflow deploy makes it", final=True)
        groups = magnum.show_node_groups(world.cloud, cluster["uuid"])
        problems = further_problems(world.settings.of_cluster(name), cluster, groups)
        wrong += [f"'{name}': {problem}" for problem in problems]
        final = final or str(cluster["status"]).endswith("_FAILED")
        said.append(f"{name} {cluster['status']}")
    if wrong:
        raise Problem("; ".join(wrong), hint=f"openstack coe cluster show {names[0]} -f yaml", final=final)
    return ", ".join(said)


def further_problems(settings: Settings, cluster: dict[str, Any], groups: list[dict[str, Any]]) -> list[str]:
    """What Magnum says against a cluster.

    Args:
        settings: as they are for that cluster.
        cluster: all that Magnum says of it.
        groups: all that Magnum says of its node groups.
    """
    status = str(cluster["status"])
    if not status.endswith("_COMPLETE"):
        reason = cluster.get("status_reason")
        return [f"status is {status}" + (f": {reason}" if reason else "")]
    problems = []
    if cluster.get("health_status") == "UNHEALTHY":
        problems.append(f"its health is UNHEALTHY: {_unready(cluster.get('health_status_reason') or {})}")
    there = {group["name"]: group for group in groups}
    for name in settings.node_groups:
        group, least = there.get(name), settings.fewest(name)
        if group is None:
            problems.append(f"node group '{name}' is missing")
        elif not str(group["status"]).endswith("_COMPLETE"):
            problems.append(f"node group '{name}' is {group['status']}")
        elif int(group["node_count"]) < least:
            problems.append(f"node group '{name}' has {group['node_count']} of {least} asked")
    return problems


def _unready(reason: dict[str, str]) -> str:
    """The parts that are not well, of a mapping such as {"api": "ok", "ml-node-0.Ready": "True"}."""
    bad = [f"{part} {word}" for part, word in reason.items() if str(word).lower() not in {"true", "ok"}]
    return ", ".join(bad) or "no part is named"
