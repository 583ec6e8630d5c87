"""Writes the platform's Ingress objects and the role of the nodes that take their traffic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from magflow.kube.apply import Applied, apply
from magflow.kube.client import Kube
from magflow.kube.compare import Diff, text
from magflow.kube.ingress import ROLE, ROLE_LABEL, Host, Route, address, choose_nodes, host_name, ingress_object, route
from magflow.kube.nodes import labels, name
from magflow.kube.objects import Object
from magflow.kube.retry import Patience
from magflow.kube.ssa import server_side_apply

MANAGER = "magflow-ingress"
"""Own field manager for nodes, beside that of the node pools: a Node is shared."""


@dataclass(frozen=True)
class Wish:
    """What the settings ask for.

    Attributes:
        hosts: by key.
        nodes: rule of the nodes, as `choose_nodes` takes it.
        domain: nip.io, sslip.io or a domain of your own.
        style: dots or dashes.
        class_name: IngressClass of the objects.
        address_type: InternalIP or ExternalIP.
        groups: known node groups.
        cluster: the cluster's name.
    """

    hosts: Mapping[str, Host]
    nodes: str | Mapping[str, str]
    domain: str
    style: str
    class_name: str
    address_type: str
    groups: tuple[str, ...] = ()
    cluster: str = ""


@dataclass(frozen=True)
class Plan:
    """What follows from the wish and from what is in the cluster now."""

    nodes: tuple[str, ...]
    addresses: tuple[str, ...]
    routes: tuple[Route, ...]


def plan(wish: Wish, nodes: Iterable[Object], services: Iterable[Object]) -> Plan:
    """Pure: the nodes, their addresses and one route a host.

    Raises:
        MagflowError: when no node fits, or one has no address of the wanted kind.
    """
    chosen = choose_nodes(nodes, wish.nodes, wish.groups, wish.cluster)
    addresses = tuple(address(node, wish.address_type) for node in chosen)
    known = list(services)
    routes = tuple(
        route(key, host, host_name(host.name, addresses[0], wish.domain, wish.style), known)
        for key, host in sorted(wish.hosts.items())
    )
    return Plan(tuple(name(node) for node in chosen), addresses, routes)


def look(kube: Kube, wish: Wish) -> Plan:
    """`plan` with the cluster's nodes and services; one look, nothing is written."""
    return plan(wish, kube.nodes(), kube.list("v1", "Service"))


def apply_ingress(
    kube: Kube, wish: Wish, *, dry_run: bool = False, deadline: float = 60.0
) -> tuple[Plan, list[Applied]]:
    """Makes the cluster serve the hosts: role of the nodes, namespaces, Ingress objects.

    Args:
        kube: the cluster.
        wish: what the settings ask for.
        dry_run: only say what would change.
        deadline: seconds that passing errors may be waited for.

    Raises:
        MagflowError: as `plan` and `apply`; Conflict when a node's role belongs to someone else.
    """
    patience = Patience(deadline)
    nodes = kube.nodes()
    planned = plan(wish, nodes, kube.list("v1", "Service"))
    done = [change for node in nodes if (change := _role(kube, node, name(node) in planned.nodes, dry_run))]
    spaces = sorted({entry.namespace for entry in planned.routes})
    objects: list[Object] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": s}} for s in spaces]
    objects += [ingress_object(entry, wish.class_name) for entry in planned.routes]
    return planned, done + apply(kube, objects, dry_run=dry_run, diff=True, deadline=patience)


def _role(kube: Kube, node: Object, wanted: bool, dry_run: bool) -> Applied | None:
    """Gives a chosen node its role, takes it from one no longer chosen; one that was never ours is left alone."""
    if not wanted and MANAGER not in {entry.get("manager") for entry in node["metadata"].get("managedFields") or []}:
        return None
    meta: Object = {"name": name(node), "uid": node["metadata"]["uid"]}
    if wanted:
        meta["labels"] = {ROLE_LABEL: ROLE}
    after = server_side_apply(kube, {"apiVersion": "v1", "kind": "Node", "metadata": meta}, MANAGER, dry_run=dry_run)
    before_text, after_text = (text({"labels": dict(sorted(labels(item).items()))}) for item in (node, after))
    if before_text == after_text:
        return Applied("Node", None, name(node), "unchanged")
    return Applied("Node", None, name(node), "changed", Diff(before_text, after_text))
