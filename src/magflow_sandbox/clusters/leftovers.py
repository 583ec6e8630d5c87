"""What blocks the deletion of a cluster, or stays behind it, when a fault asks for it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import closing
from typing import Any

from openstack.connection import Connection

from magflow_sandbox.clusters.claims import Claims
from magflow_sandbox.clusters.cloud_objects import CloudObjects
from magflow_sandbox.clusters.faulty import Faulty

PORTS = 2
TRUSTEES = "magnum"
"""Domain of Magnum's trustees."""


class Leftovers:
    """The leftovers of one cluster.

    Args:
        admin: connects as the administrator.
        user: connects as the user whose clusters these are, by password.
    """

    def __init__(
        self, faulty: Faulty, claims: Claims, admin: Callable[[], Connection], user: Callable[[], Connection]
    ) -> None:
        self.faulty, self.claims, self.admin, self.user = faulty, claims, admin, user

    def block(self, objects: CloudObjects) -> None:
        """Make the foreign ports that hold what is to be deleted; remove them when the fault is gone."""
        blocked = self.faulty.blocked()
        if blocked is None:
            self._unblock(objects)
            return
        fault, by = blocked
        if by != "finalizer" and not self.faulty.store.noted(fault, self.faulty.stack):
            self._ports(objects, by)
            self.faulty.store.note(fault, self.faulty.stack)

    def leave(self, objects: CloudObjects, magnum_id: str, project: str) -> frozenset[str]:
        """Make what stays and would not be there otherwise. Returns the kinds that are not to be deleted.

        Args:
            magnum_id: Magnum's id of the cluster.
            project: id of its project.
        """
        left = self.faulty.left()
        if "volume" in left:
            self.claims.leave(objects.cloud)
        if "trust" in left and not self.faulty.store.noted(left["trust"], self.faulty.stack):
            self._trust(f"{magnum_id}_{project}")
            self.faulty.store.note(left["trust"], self.faulty.stack)
        return frozenset(left)

    # -- inside

    def _ports(self, objects: CloudObjects, by: str) -> None:
        own = objects.managed_network()
        given = (objects.spec.get("network") or {}).get("id")
        groups = [group.id for group in [objects.managed_group(objects.group_names.worker)] if group]
        neutron = objects.neutron
        if by == "network" and own is not None:
            network, groups = own.id, []
        elif given:
            network = given
        else:
            # in the cluster's own network they would hold that one first
            network = neutron.create_network(name=_name(objects), description=_said(objects)).id
            neutron.create_subnet(name=_name(objects), network_id=network, ip_version=4, cidr="192.168.253.0/28")
        for _ in range(PORTS):
            neutron.create_port(
                name=f"octavia-lb-vrrp-{secrets.token_hex(4)}",
                description=_said(objects),
                device_owner="Octavia",
                network_id=network,
                security_groups=groups,
            )

    def _unblock(self, objects: CloudObjects) -> None:
        for port in objects.neutron.ports(description=_said(objects)):
            objects.neutron.delete_port(port)
        for network in objects.neutron.networks(name=_name(objects), project_id=objects.cloud.current_project_id):
            objects.neutron.delete_network(network)

    def _trust(self, trustee: str) -> None:
        """A trust of the cluster's user, to a user that is named as Magnum names its trustees."""
        with closing(self.admin()) as admin, closing(self.user()) as user:
            identity: Any = admin.identity
            domain = identity.find_domain(TRUSTEES) or identity.create_domain(name=TRUSTEES)
            found = next(iter(identity.users(domain_id=domain.id, name=trustee)), None)
            if found is None:
                found = identity.create_user(name=trustee, domain_id=domain.id, password=secrets.token_hex(16))
            keystone: Any = user.identity
            keystone.create_trust(
                trustor_user_id=user.current_user_id,
                trustee_user_id=found.id,
                project_id=user.current_project_id,
                impersonation=True,
                roles=[{"name": "member"}],
            )


def _said(objects: CloudObjects) -> str:
    return f"left over by something else than the cluster {objects.resource}"


def _name(objects: CloudObjects) -> str:
    return f"left-over-{objects.resource}"
