"""The proof of teardown: everything in the cloud that still belongs to an environment, in the order to delete it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import openstack.exceptions
from openstack.connection import Connection

from magflow.cloud import barbican, heat, magnum, trusts
from magflow.cloud.connection import readable
from magflow.cloud.ownership import Marks

Lister = Callable[[Any], Iterable[Any]]


@dataclass(frozen=True)
class Kind:
    """A kind of thing in the cloud.

    Attributes:
        service: who holds it.
        name: the word for it.
        catalog: the catalog type of the service.
        lister: lists all that the project may see.
        delete: the command that deletes one; `{id}` stands for its id.
    """

    service: str
    name: str
    catalog: str
    lister: Lister
    delete: str


CONTAINER_INFRA, NETWORK, VOLUME, SHARE = (
    "container-infrastructure-management",
    "network",
    "block-storage",
    "shared-file-system",
)

KINDS: tuple[Kind, ...] = (
    Kind("magnum", "cluster", CONTAINER_INFRA, magnum.clusters, "openstack coe cluster delete {id}"),
    Kind(
        "magnum",
        "cluster template",
        CONTAINER_INFRA,
        lambda c: c.container_infrastructure_management.cluster_templates(),
        "openstack coe cluster template delete {id}",
    ),
    Kind("heat", "stack", "orchestration", heat.stacks, "openstack stack delete {id}"),
    Kind(
        "octavia",
        "load balancer",
        "load-balancer",
        lambda c: (lb for lb in c.load_balancer.load_balancers() if lb.provisioning_status != "DELETED"),
        "openstack loadbalancer delete --cascade {id}",
    ),
    Kind("nova", "server", "compute", lambda c: c.compute.servers(), "openstack server delete {id}"),
    Kind("neutron", "floating IP", NETWORK, lambda c: c.network.ips(), "openstack floating ip delete {id}"),
    Kind("neutron", "port", NETWORK, lambda c: c.network.ports(), "openstack port delete {id}"),
    Kind(
        "neutron",
        "router",
        NETWORK,
        lambda c: c.network.routers(),
        "openstack router show {id} -c interfaces_info; openstack router remove subnet {id} SUBNET; "
        "openstack router delete {id}",
    ),
    Kind("neutron", "subnet", NETWORK, lambda c: c.network.subnets(), "openstack subnet delete {id}"),
    Kind("neutron", "network", NETWORK, lambda c: c.network.networks(), "openstack network delete {id}"),
    Kind(
        "neutron",
        "security group",
        NETWORK,
        lambda c: c.network.security_groups(),
        "openstack security group delete {id}",
    ),
    Kind(
        "cinder",
        "volume snapshot",
        VOLUME,
        lambda c: c.block_storage.snapshots(),
        "openstack volume snapshot delete {id}",
    ),
    Kind("cinder", "volume", VOLUME, lambda c: c.block_storage.volumes(), "openstack volume delete {id}"),
    Kind("manila", "share", SHARE, lambda c: c.shared_file_system.shares(), "openstack share delete {id}"),
    Kind("nova", "server group", "compute", lambda c: c.compute.server_groups(), "openstack server group delete {id}"),
    Kind("nova", "keypair", "compute", lambda c: c.compute.keypairs(), "openstack keypair delete {id}"),
    Kind("glance", "image", "image", lambda c: c.image.images(), "openstack image delete {id}"),
    Kind(
        "keystone",
        "application credential",
        "identity",
        lambda c: c.identity.application_credentials(user=c.current_user_id),
        "openstack application credential delete {id}",
    ),
    Kind("keystone", "trust", "identity", trusts.listed, "openstack trust delete {id}"),
    Kind("barbican", "secret container", "key-manager", barbican.containers, "openstack secret container delete {id}"),
)


@dataclass(frozen=True)
class Leftover:
    """Something that should be gone, and the command that deletes it."""

    service: str
    kind: str
    id: str
    name: str
    delete: str = ""

    def __str__(self) -> str:
        return f"{self.service} {self.kind} {self.name or '(no name)'} ({self.id})"


@dataclass
class Inventory:
    """What was found.

    Attributes:
        left: what belongs to the environment, in the order to delete it.
        looked: services that were looked into.
        unseen: kinds that this user may not list, and why; nothing is proved of them.
    """

    left: list[Leftover] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)


def find(connection: Connection, marks: Marks) -> Inventory:
    """Everything of the environment that the cloud still has.

    Args:
        connection: an authenticated connection.
        marks: what belongs to the environment.

    Raises:
        MagflowError: a service that the cloud has did not answer; then nothing is proved.
    """
    found = Inventory()
    for kind in KINDS:
        if not connection.has_service(kind.catalog):
            continue
        with readable(f"{kind.service}, list of every {kind.name}"):
            try:
                things = list(kind.lister(connection))
            except (openstack.exceptions.ForbiddenException, openstack.exceptions.NotFoundException):
                found.unseen.append(kind.name)
                continue
        if kind.service not in found.looked:
            found.looked.append(kind.service)
        found.left += [
            Leftover(kind.service, kind.name, str(thing.id), str(thing.name or ""), kind.delete.format(id=thing.id))
            for thing in things
            if marks.own(kind.name, thing)
        ]
        if kind.name == "trust" and any(not thing.trustee_name for thing in things if not marks.own("trust", thing)):
            found.unseen.append("trust (this user may not read the names of trustees)")
    return found
