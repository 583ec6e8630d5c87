"""Preflight of the networks: there, external where they have to be, of the MTU that is asked for, and within reach."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from openstack.exceptions import DuplicateResource

from magflow.checks.model import Problem, check, raise_for
from magflow.checks.world import World
from magflow.cloud.connection import readable
from magflow.findings import Finding, error, warning
from magflow.settings import Network

ROUTES = Path("/proc/net/route")


@check("networks-fit", "the networks are there, the external one is external, and the nodes' has the MTU that is asked")
def networks_fit(world: World) -> str:
    """Looks each network of the settings up."""
    wanted = world.settings.network
    service: Any = world.cloud.network
    with readable("Neutron"):
        try:
            external = service.find_network(wanted.external)
            fixed = service.find_network(wanted.fixed) if wanted.fixed else None
            subnet = service.find_subnet(wanted.subnet) if wanted.subnet else None
            subnets = list(service.subnets(network_id=fixed.id)) if fixed else []
        except DuplicateResource as problem:
            raise Problem(str(problem), hint="give the network's id instead of its name", final=True) from None
    raise_for([*_external(wanted, external), *_fixed(wanted, fixed, subnet, subnets)])
    return f"external {external.name}" + (f", fixed {fixed.name}" if fixed else ", the nodes' network is made")


def _external(wanted: Network, external: Any) -> Iterator[Finding]:
    path, hint = "network.external", "openstack network list --external"
    if external is None:
        yield error("NETWORK_MISSING", path, f"there is no network '{wanted.external}'", hint)
    elif not external.is_router_external:
        yield error("NETWORK_NOT_EXTERNAL", path, f"network '{wanted.external}' is not external", hint)


def _fixed(wanted: Network, fixed: Any, subnet: Any, subnets: list[Any]) -> Iterator[Finding]:
    if not wanted.fixed:
        return
    if fixed is None:
        what = f"there is no network '{wanted.fixed}'"
        yield error("NETWORK_MISSING", "network.fixed", what, "openstack network list")
        return
    if wanted.subnet and (subnet is None or subnet.network_id != fixed.id):
        what = f"network '{wanted.fixed}' has no subnet '{wanted.subnet}'"
        yield error("SUBNET_MISSING", "network.subnet", what, f"openstack subnet list --network {fixed.id}")
        return
    if not wanted.subnet and len(subnets) != 1:
        what = (
            f"network '{wanted.fixed}' has {len(subnets)} subnets, and network.subnet does not say which is the nodes'"
        )
        yield error("SUBNET_MISSING", "network.subnet", what, f"openstack subnet list --network {fixed.id}")
        return
    if wanted.mtu and fixed.mtu and fixed.mtu != wanted.mtu:
        yield error(
            "NETWORK_MTU_DIFFERS",
            "network.mtu",
            f"network '{wanted.fixed}' has an MTU of {fixed.mtu}, network.mtu is {wanted.mtu}: large packets are lost",
            f"openstack network set --mtu {wanted.mtu} {fixed.id} (its operator), or set network.mtu to {fixed.mtu}",
        )
    chosen = subnet or subnets[0]
    if not reached(str(chosen.cidr)):
        yield warning(
            "NETWORK_NOT_REACHED",
            "network.fixed",
            f"this machine has no route of its own to {chosen.cidr} of network '{wanted.fixed}': nodes' own addresses "
            "(network.fixed without a floating IP, ingress.address_type InternalIP) may not answer from here",
            "run Magflow from a machine in that network, or give the API a floating IP",
        )


def reached(cidr: str, routes: Path = ROUTES) -> bool:
    """Whether this machine has a route to a range that is more than the way to everywhere.

    Args:
        cidr: of the nodes.
        routes: the kernel's table of IPv4 routes; where there is none (no Linux), nothing is said.
    """
    wanted = ip_network(cidr, strict=False)
    if wanted.version == 6 or not routes.is_file():
        return True
    for line in routes.read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        # address and mask are printed as this machine's numbers, though their bytes have the network's order
        address, mask = (ip_address(int(fields[column], 16).to_bytes(4, sys.byteorder)) for column in (1, 7))
        route = ip_network(f"{address}/{mask}", strict=False)
        if route.prefixlen and route.supernet_of(wanted):  # type: ignore[arg-type]
            return True
    return False
