"""The services of the sandbox, in the order in which people think of them."""

from __future__ import annotations

from magflow_sandbox.openstack import cinder, glance, keystone, magnum, neutron, nova
from magflow_sandbox.openstack.service import Service
from magflow_sandbox.openstack.site import Site


def services(site: Site) -> tuple[Service, ...]:
    """Every OpenStack service, configured for a site."""
    return tuple(module.service(site) for module in (keystone, glance, nova, neutron, cinder, magnum))
