"""The services of the sandbox, in the order in which people think of them."""

from __future__ import annotations

from collections.abc import Collection

from magflow_sandbox.openstack import cinder, glance, keystone, magnum, neutron, nova, octavia
from magflow_sandbox.openstack.service import Service
from magflow_sandbox.openstack.site import Site

EXTRAS = ("octavia",)
"""Services that are there only when they are asked for."""


def services(site: Site, extras: Collection[str] = ()) -> tuple[Service, ...]:
    """Every OpenStack service, configured for a site.

    Args:
        extras: names of `EXTRAS` that are wanted.
    """
    modules = (keystone, glance, nova, neutron, cinder, *([octavia] if "octavia" in extras else []), magnum)
    return tuple(module.service(site) for module in modules)
