"""Networks: the external one that clusters reach the world by."""

from __future__ import annotations

from openstack.connection import Connection

EXTERNAL = "public"
SUBNET = "public-subnet"
CIDR = "203.0.113.0/24"
"""TEST-NET-3: addresses that nobody else has."""


def ensure(admin: Connection) -> None:
    """Make the external network and its subnet."""
    network = admin.network.find_network(EXTERNAL) or admin.network.create_network(
        name=EXTERNAL,
        is_router_external=True,
        provider_network_type="flat",
        provider_physical_network="public",
    )
    if admin.network.find_subnet(SUBNET) is None:
        admin.network.create_subnet(
            name=SUBNET, network_id=network.id, ip_version=4, cidr=CIDR, is_dhcp_enabled=False, gateway_ip="203.0.113.1"
        )
