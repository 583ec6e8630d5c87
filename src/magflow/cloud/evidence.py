"""What the cloud says of one cluster, gathered as plain data: it can be recorded, and judged again without a cloud."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import openstack.exceptions
from openstack.connection import Connection

from magflow.cloud import heat, magnum, quotas
from magflow.cloud.connection import readable
from magflow.cloud.ownership import Mark, belongs
from magflow.errors import MagflowError
from magflow.rules import causes

Item = dict[str, Any]


SECRET = re.compile(r"passw|secret|token|credential|private", re.IGNORECASE)
"""Labels whose values are shown to nobody."""


@dataclass
class Evidence:
    """What was seen of a cluster.

    Attributes:
        name: the cluster's name.
        now: when, ISO 8601 in UTC.
        cluster: Magnum's answer; empty when Magnum does not know it.
        node_groups: Magnum's answers.
        stack: Heat's stack with its resources (see `heat.stack`).
        servers: id, name, status, fault.
        security_groups: id, name; the cluster's own.
        networks: id, name; the cluster's own.
        ports: id, name, device, owner, groups, network, ours: those of the cluster, and others' in its groups and
            networks.
        load_balancers: id, name, status, operating.
        floating_ips: id, address, port.
        quotas: lines about quotas that are used up, when a text speaks of one.
        objects: of Cluster API: kind, name, namespace, phase, message, deleting, finalizers, conditions.
        kube: what the cluster's API answered: reached, healthz, error, nodes (name, group, ready, reason).
        delete_asked: when this environment asked for the deletion, ISO 8601; empty when it did not.
        unseen: what could not be looked at, and why.
    """

    name: str
    now: str
    cluster: Item = field(default_factory=dict)
    node_groups: list[Item] = field(default_factory=list)
    stack: Item | None = None
    servers: list[Item] = field(default_factory=list)
    security_groups: list[Item] = field(default_factory=list)
    networks: list[Item] = field(default_factory=list)
    ports: list[Item] = field(default_factory=list)
    load_balancers: list[Item] = field(default_factory=list)
    floating_ips: list[Item] = field(default_factory=list)
    quotas: list[str] = field(default_factory=list)
    objects: list[Item] = field(default_factory=list)
    kube: Item = field(default_factory=dict)
    delete_asked: str = ""
    unseen: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return asdict(self)

    def texts(self) -> list[tuple[str, str]]:
        """Every text that says why something is not as it should be: where it was read, and what it says."""
        cluster = self.cluster
        said = [("Magnum, status_reason", cluster.get("status_reason") or "")]
        if cluster.get("health_status") == "UNHEALTHY":
            reasons = cluster.get("health_status_reason") or {}
            said += [(f"Magnum, health of {part}", str(text)) for part, text in sorted(reasons.items()) if _bad(text)]
        said += [(f"Magnum, fault of {part}", str(text)) for part, text in (cluster.get("faults") or {}).items()]
        said += [(f"node group {group['name']}", group.get("status_reason") or "") for group in self.node_groups]
        said += [(f"server {item['name']}", item["fault"]) for item in self.servers]
        if self.stack and self.stack["status"].endswith("_FAILED"):
            said.append((f"Heat, stack {self.stack['name']}", self.stack["reason"]))
        failed = (item for item in (self.stack or {}).get("resources", ()) if item["status"].endswith("_FAILED"))
        said += [(f"Heat, resource {item['name']}", item["reason"]) for item in failed]
        for item in self.objects:
            place = f"{item['kind']} {item['name']}"
            said.append((place, item.get("message") or ""))
            wrong = (c for c in item.get("conditions", ()) if c["status"] != "True" and c.get("message"))
            said += [(f"{place}, {c['type']}", f"{c.get('reason', '')}: {c['message']}".lstrip(": ")) for c in wrong]
        return [(where, " ".join(text.split())) for where, text in said if text.strip()]


def gather(connection: Connection, mark: Mark, now: str) -> Evidence:
    """What OpenStack says of a cluster; a service that refuses is noted and does not end the look.

    Args:
        connection: an authenticated connection.
        mark: the cluster.
        now: the time, ISO 8601.

    Raises:
        MagflowError: Magnum does not answer.
    """
    seen = Evidence(mark.name, now, cluster=_masked(magnum.show(connection, mark.id) or {}))
    if seen.cluster:
        seen.node_groups = [
            _masked(group)
            for group in _look(seen, "Magnum, node groups", lambda: magnum.show_node_groups(connection, mark.id))
        ]
    network = connection.network
    seen.stack = _first(_look(seen, "Heat", lambda: [heat.stack(connection, mark.stack_id)]))
    made = heat.made(seen.stack) if seen.stack else {}

    def own(kind: str, things: Any) -> list[Any]:
        return [thing for thing in things if belongs(kind, thing, mark) or str(thing.id) in made.get(kind, ())]

    seen.servers = [_server(i) for i in _look(seen, "Nova", lambda: own("server", connection.compute.servers()))]
    groups = _look(seen, "Neutron", lambda: own("security group", network.security_groups()))
    networks = _look(seen, "Neutron", lambda: own("network", network.networks()))
    seen.security_groups = [{"id": item.id, "name": item.name} for item in groups]
    seen.networks = [{"id": item.id, "name": item.name} for item in networks]
    places = {item.id for item in (*groups, *networks)}
    ports = _look(seen, "Neutron", lambda: list(network.ports()))
    seen.ports = [
        _port(port, ours=bool(own("port", [port])))
        for port in ports
        if own("port", [port]) or places & {port.network_id, *(port.security_group_ids or ())}
    ]
    addresses = _look(seen, "Neutron", lambda: own("floating IP", network.ips()))
    seen.floating_ips = [
        {"id": item.id, "address": item.floating_ip_address, "port": item.port_id or ""} for item in addresses
    ]
    if connection.has_service("load-balancer"):
        balancers = _look(seen, "Octavia", lambda: own("load balancer", connection.load_balancer.load_balancers()))
        seen.load_balancers = [
            {"id": lb.id, "name": lb.name, "status": lb.provisioning_status, "operating": lb.operating_status}
            for lb in balancers
        ]
    return seen


def add_quotas(connection: Connection, seen: Evidence) -> None:
    """Looks at the project's quotas, if one of the texts speaks of them."""
    spoken = (causes.of(text) for _, text in seen.texts())
    if not any(cause.code == "QUOTA" for cause in spoken if cause):
        return
    for service, (catalog, read) in quotas.READERS.items():
        if connection.has_service(catalog):
            seen.quotas += _look(seen, f"quotas of {service}", partial(_used_up, service, read, connection))


def _used_up(service: str, read: Callable[[Connection], quotas.Quotas], connection: Connection) -> list[str]:
    found = read(connection).items()
    return [f"{service}: {quota.used} of {quota.limit} {word} are used" for word, quota in found if quota.free == 0]


def _look(seen: Evidence, what: str, ask: Callable[[], list[Any]]) -> list[Any]:
    try:
        with readable(what):
            try:
                return ask()
            except (openstack.exceptions.ForbiddenException, openstack.exceptions.NotFoundException) as error:
                seen.unseen.append(f"{what}: {str(error).splitlines()[0]}")
                return []
    except MagflowError as error:
        seen.unseen.append(f"{what}: {error.what}")
        return []


def _first(found: list[Any]) -> Any:
    return found[0] if found else None


def _masked(item: Item) -> Item:
    """Without the values of labels that are secrets, such as grafana_admin_passwd."""

    def hide(labels: Item) -> Item:
        return {key: "***" if SECRET.search(key) else value for key, value in labels.items()}

    return {key: hide(value) if "labels" in key and isinstance(value, dict) else value for key, value in item.items()}


def _server(item: Any) -> Item:
    fault = item.fault or {}
    return {
        "id": item.id,
        "name": item.name,
        "status": item.status,
        "fault": str(fault.get("message") or ""),
    }


def _port(item: Any, *, ours: bool) -> Item:
    return {
        "id": item.id,
        "name": item.name or "",
        "device": item.device_id or "",
        "owner": item.device_owner or "",
        "groups": list(item.security_group_ids or ()),
        "network": item.network_id,
        "ours": ours,
    }


def _bad(text: Any) -> bool:
    return str(text).strip().lower() not in {"", "ok", "ready", "true", "none"}
