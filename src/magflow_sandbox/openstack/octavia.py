"""Octavia's API: load balancers, listeners, pools and members, with real ports for addresses; nothing is balanced."""

from __future__ import annotations

from magflow_sandbox.openstack.service import QUIET, Service, database, login, token_check
from magflow_sandbox.openstack.site import LOOPBACK, PORTS, REGION, Site

ROLE = "load-balancer_member"
"""Role that Octavia's own rules ask of its users."""


def service(site: Site) -> Service:
    """With the provider that does nothing; octavia_process.py says what a provider would say of its work."""
    config = site.etc / "octavia" / "octavia.conf"
    return Service(
        name="octavia",
        type="load-balancer",
        databases=("octavia",),
        program="octavia_process.py",
        arguments=("--config-file", str(config)),
        folders=("lock",),
        migrations=(("octavia-db-manage", "--config-file", str(config), "upgrade", "head"),),
        files={
            config.name: {
                "DEFAULT": {"transport_url": "fake://"},
                "api_settings": {
                    "bind_host": LOOPBACK,
                    "bind_port": PORTS["octavia"],
                    "auth_strategy": "keystone",
                    "enabled_provider_drivers": "noop_driver: Nothing is balanced.",
                    "default_provider_driver": "noop_driver",
                },
                "database": database(site, "octavia"),
                # its own driver for the addresses of load balancers: they are ports in Neutron
                "controller_worker": {"network_driver": "allowed_address_pairs_driver"},
                "service_auth": login(site, "octavia"),
                "neutron": {"region_name": REGION, "valid_interfaces": "public", "cafile": site.ca},
                "keystone_authtoken": token_check(site, "octavia"),
                "oslo_concurrency": {"lock_path": site.data / "octavia" / "lock"},
                **QUIET,
            }
        },
    )
