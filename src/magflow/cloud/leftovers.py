"""The proof of teardown: everything in the cloud that still names a cluster.

Drivers name what they make after the cluster's stack id (Cluster API: `k8s-clusterapi-cluster-<namespace>-<stack>`,
tagged; cloud-provider-openstack: `kube_service_<cluster>_...`) or after its Magnum id (credentials, trusts), so these
two are looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import openstack.exceptions
from openstack.connection import Connection

from magflow.cloud import magnum
from magflow.cloud.connection import readable


@dataclass(frozen=True)
class Leftover:
    """Something that should be gone."""

    service: str
    kind: str
    id: str
    name: str

    def __str__(self) -> str:
        return f"{self.service} {self.kind} {self.name or '(no name)'} ({self.id})"


Lister = Callable[[Any], Iterable[Any]]

KINDS: tuple[tuple[str, str, str, Lister], ...] = (
    ("magnum", "cluster", "container-infrastructure-management", magnum.clusters),
    (
        "magnum",
        "cluster template",
        "container-infrastructure-management",
        lambda c: c.container_infrastructure_management.cluster_templates(),
    ),
    ("nova", "server", "compute", lambda c: c.compute.servers()),
    ("neutron", "port", "network", lambda c: c.network.ports()),
    ("neutron", "floating IP", "network", lambda c: c.network.ips()),
    ("neutron", "router", "network", lambda c: c.network.routers()),
    ("neutron", "network", "network", lambda c: c.network.networks()),
    ("neutron", "subnet", "network", lambda c: c.network.subnets()),
    ("neutron", "security group", "network", lambda c: c.network.security_groups()),
    ("cinder", "volume", "block-storage", lambda c: c.block_storage.volumes()),
    ("octavia", "load balancer", "load-balancer", lambda c: c.load_balancer.load_balancers()),
    (
        "keystone",
        "application credential",
        "identity",
        lambda c: c.identity.application_credentials(user=c.current_user_id),
    ),
    ("keystone", "trust", "identity", lambda c: c.identity.trusts(trustor_user_id=c.current_user_id)),
)


def find(connection: Connection, marks: Iterable[str]) -> tuple[list[Leftover], list[str]]:
    """Everything whose name, description, tags or metadata hold one of the marks.

    Args:
        connection: an authenticated connection.
        marks: the cluster's Magnum id, stack id, and the exact names of its cluster and template.

    Returns:
        what is left, and the services that were looked into (a cloud need not have all).

    Raises:
        MagflowError: a service that the cloud has did not answer; then nothing is proved.
    """
    wanted = [mark for mark in marks if mark]
    left: list[Leftover] = []
    looked: list[str] = []
    for service, kind, catalog_type, lister in KINDS:
        if not connection.has_service(catalog_type):
            continue
        with readable(f"{service}, list of every {kind}"):
            try:
                things = list(lister(connection))
            except (openstack.exceptions.ForbiddenException, openstack.exceptions.NotFoundException):
                continue
        if service not in looked:
            looked.append(service)
        left += [
            Leftover(service, kind, str(thing.id), str(thing.name or ""))
            for thing in things
            if any(_names(thing, mark) for mark in wanted)
        ]
    return left, looked


def _names(thing: Any, mark: str) -> bool:
    exact = str(getattr(thing, "name", "") or "") == mark or str(thing.id) == mark
    texts = [getattr(thing, field, None) for field in ("name", "description", "tags", "metadata", "device_id")]
    # a short name would be found in strangers' names: only ids, which are long, may be a part of a text
    return exact or (len(mark) > 16 and any(mark in str(text) for text in texts if text))
