"""Ingress objects of the platform's hosts: which nodes take the traffic, what the hosts are called, what stands behind.

Everything here is pure; `magflow.kube.ingress_apply` asks the cluster and writes.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from magflow.errors import MagflowError
from magflow.kube.nodes import DEFAULT_WORKER, group_of, is_control_plane, labels, name, natural
from magflow.kube.objects import Object

ROLE_LABEL = "role"
ROLE = "ingress"
"""The label that Magnum's ingress controllers select (label ingress_controller_role, its default)."""

WILDCARD_DNS = ("nip.io", "sslip.io")
"""Domains that answer with the address written in the name."""

OBJECT_NAMES = {"kubeflow": "ambassador-ingress", "grafana": "monitoring-ingress"}
"""Names of the article's objects where they differ from `<host>-ingress`."""

KNOWN_SERVICES: Mapping[str, tuple[tuple[str, int], ...]] = {
    "kubeflow": (("ambassador", 80), ("istio-ingressgateway", 80), ("centraldashboard", 80)),
    "tensorboard": (("tensorboard-tb", 80), ("tensorboard", 80)),
    "mnist": (("web-ui", 80), ("mnist-ui", 80)),
    "grafana": (
        ("prometheus-operator-grafana", 80),
        ("kube-prometheus-stack-grafana", 80),
        ("magnum-grafana", 80),
        ("grafana", 80),
    ),
}
"""Service names by host, the releases' own: Magnum's Stein to Train, kube-prometheus-stack, Victoria and later."""

KNOWN_LABELS = {"grafana": ("app.kubernetes.io/name", "grafana")}


@dataclass(frozen=True)
class Host:
    """One host as the settings have it."""

    name: str
    namespace: str
    service: str
    port: int

    @classmethod
    def of(cls, key: str, given: Mapping[str, Any]) -> Host:
        """A host from the settings' words.

        Raises:
            MagflowError: when one is missing or unknown.
        """
        try:
            return cls(**{str(word): value for word, value in given.items()})
        except TypeError:
            raise MagflowError(
                f"host '{key}' needs name, namespace, service and port; it has {', '.join(given)}",
                where="ingress.hosts",
            ) from None


@dataclass(frozen=True)
class Route:
    """One host as it will be served.

    Attributes:
        key: its key in the settings.
        object_name: name of the Ingress object.
        host: the full host name.
        namespace: namespace of the object and the service.
        service: backend service.
        port: backend port.
        found: whether the service is there.
        elsewhere: `namespace/name` of a fitting service in another namespace, which an Ingress here cannot reach.
    """

    key: str
    object_name: str
    host: str
    namespace: str
    service: str
    port: int
    found: bool
    elsewhere: str = ""


def choose_nodes(
    nodes: Iterable[Object], rule: str | Mapping[str, str], groups: Iterable[str] = (), cluster: str = ""
) -> list[Object]:
    """The nodes that take the traffic, the one whose address the hosts carry first.

    Args:
        nodes: all nodes.
        rule: `first-worker`, `{"group": NAME}` or `{"pattern": GLOB}`.
        groups: known node groups.
        cluster: the cluster's name.

    A node that carries the role already comes first: hosts keep their address when nodes come and go.

    Raises:
        MagflowError: when no node fits, with those that are there.
    """
    known = sorted({*groups, *([rule["group"]] if isinstance(rule, Mapping) and rule.get("group") else [])})
    everything = sorted(nodes, key=natural)
    if isinstance(rule, str):
        chosen = [node for node in everything if not is_control_plane(node)]
        chosen.sort(key=lambda n: (not _labelled(n), group_of(n, known, cluster) not in (DEFAULT_WORKER, None)))
        chosen = chosen[:1]
    elif rule.get("group"):
        chosen = [node for node in everything if group_of(node, known, cluster) == rule["group"]]
    else:
        chosen = [node for node in everything if fnmatchcase(name(node), rule["pattern"])]
    if not chosen:
        words = rule if isinstance(rule, str) else " ".join(f"{key} '{value}'" for key, value in rule.items() if value)
        raise MagflowError(
            f"no node fits ingress nodes: {words}",
            where="ingress.nodes",
            hint=f"nodes there: {', '.join(name(node) for node in everything) or 'none'}",
        )
    return sorted(chosen, key=lambda n: not _labelled(n))


def address(node: Object, kind: str) -> str:
    """A node's address of a kind.

    Args:
        node: the node.
        kind: `InternalIP` or `ExternalIP`.

    Raises:
        MagflowError: when the node has none, with those that it has.
    """
    given = (node.get("status") or {}).get("addresses") or []
    found = next((str(item["address"]) for item in given if item["type"] == kind), None)
    if found is None:
        has = ", ".join(f"{item['type']} {item['address']}" for item in given) or "no address"
        raise MagflowError(
            f"node {name(node)} has no {kind}",
            where="ingress.address_type",
            hint=f"it has {has}; choose another ingress.address_type",
        )
    return found


def host_name(first: str, node_address: str, domain: str, style: str) -> str:
    """The full name of a host.

    Args:
        first: its first label.
        node_address: IPv4 or IPv6 address, used with nip.io and sslip.io only.
        domain: nip.io, sslip.io or a domain of your own.
        style: `dots` or `dashes`; an IPv6 address is always written with dashes.
    """
    if domain not in WILDCARD_DNS:
        return f"{first}.{domain}"
    parsed = ipaddress.ip_address(node_address)
    if parsed.version == 6:
        written = parsed.compressed.replace(":", "-")
        # a label of a host name neither starts nor ends with a dash
        written = ("0" if written.startswith("-") else "") + written + ("0" if written.endswith("-") else "")
    else:
        written = str(parsed).replace(".", "-") if style == "dashes" else str(parsed)
    return f"{first}.{written}.{domain}"


def route(key: str, host: Host, full_name: str, services: Sequence[Object]) -> Route:
    """What a host will be served by: the service of the settings where it is there, else a known one, else the former.

    Args:
        key: the host's key in the settings.
        host: the settings.
        full_name: the full host name.
        services: all services of the cluster.
    """
    here = {name(item): item for item in services if item["metadata"].get("namespace") == host.namespace}
    object_name = OBJECT_NAMES.get(key, f"{key}-ingress")
    for service, port in ((host.service, host.port), *KNOWN_SERVICES.get(key, ())):
        if service in here:
            return Route(key, object_name, full_name, host.namespace, service, _port(here[service], port), True)
    for item in here.values():
        if _fits(key, item):
            return Route(key, object_name, full_name, host.namespace, name(item), _port(item, host.port), True)
    known = {service for service, _ in KNOWN_SERVICES.get(key, ())}
    other = next((item for item in services if name(item) in known or _fits(key, item)), None)
    elsewhere = f"{other['metadata']['namespace']}/{name(other)}" if other else ""
    return Route(key, object_name, full_name, host.namespace, host.service, host.port, False, elsewhere)


def ingress_object(planned: Route, class_name: str) -> Object:
    """The Ingress object of a route."""
    backend = {"service": {"name": planned.service, "port": {"number": planned.port}}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {
            "name": planned.object_name,
            "namespace": planned.namespace,
            "labels": {"app.kubernetes.io/managed-by": "magflow", "app.kubernetes.io/part-of": "magflow-ingress"},
        },
        "spec": {
            "ingressClassName": class_name,
            "rules": [
                {
                    "host": planned.host,
                    "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]},
                }
            ],
        },
    }


def _labelled(node: Object) -> bool:
    return labels(node).get(ROLE_LABEL) == ROLE


def _fits(key: str, service: Object) -> bool:
    label, value = KNOWN_LABELS.get(key, ("", ""))
    # headless services are the peers' own, no door
    headless = (service.get("spec") or {}).get("clusterIP") == "None"
    return bool(label) and labels(service).get(label) == value and not headless


def _port(service: Object, wished: int) -> int:
    ports: list[Any] = [item["port"] for item in (service.get("spec") or {}).get("ports") or []]
    return wished if wished in ports or not ports else int(ports[0])
