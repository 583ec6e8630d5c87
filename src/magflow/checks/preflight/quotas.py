"""Preflight of the quotas: what the clusters still need against what the project may still have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from magflow.checks.model import Check, NotApplicable, check, raise_for
from magflow.checks.preflight.each import told
from magflow.checks.world import World
from magflow.cloud import flavors, quotas
from magflow.cloud.capacity import Wanted
from magflow.cloud.flavors import Machine
from magflow.cloud.quotas import Quota
from magflow.findings import Finding, error
from magflow.settings import Settings

GROUPS = 2
"""Security groups of one cluster: one of its control plane, one of its workers."""

Machines = Mapping[str, Machine]
Need = Callable[[Settings, Wanted, Machines], Counter[str]]


def of_nova(_settings: Settings, asked: Wanted, machines: Machines) -> Counter[str]:
    """Servers, cores and memory; Nova counts a bare-metal flavor's too."""
    need: Counter[str] = Counter()
    for flavor, count in asked.machines.items():
        machine = machines.get(flavor)
        need.update(instances=count)
        if machine:
            need.update(cores=count * machine.vcpus, ram=count * machine.ram)
    return need


def of_neutron(settings: Settings, asked: Wanted, _machines: Machines) -> Counter[str]:
    """A port a machine; for a cluster its groups, the API's port and floating IP, and a network where one is made."""
    clusters, network = len(asked.clusters), settings.network
    need = Counter(port=sum(asked.machines.values()) + clusters, security_group=GROUPS * clusters)
    if settings.cluster.load_balancer.floating_ip is not False:
        need.update(floatingip=clusters)
    if not network.fixed:
        made = min(clusters, 1) if network.cidr else clusters
        need.update(network=made, subnet=made, router=made)
    return need


def of_cinder(settings: Settings, asked: Wanted, _machines: Machines) -> Counter[str]:
    """The volumes of every machine."""
    volumes = settings.cluster.volumes
    sizes = [volume.size for volume in (volumes.boot, volumes.docker) if volume and volume.size]
    count = sum(asked.machines.values())
    need = Counter(volumes=count * len(sizes), gigabytes=count * sum(sizes))
    if volumes.etcd and volumes.etcd.size:
        members = settings.cluster.control_plane.count * len(asked.clusters)
        need.update(volumes=members, gigabytes=members * volumes.etcd.size)
    return need


def of_octavia(_settings: Settings, asked: Wanted, _machines: Machines) -> Counter[str]:
    """One before every control plane."""
    return Counter(load_balancer=len(asked.clusters))


def of_magnum(_settings: Settings, asked: Wanted, _machines: Machines) -> Counter[str]:
    """The clusters themselves."""
    return Counter(clusters=len(asked.clusters))


NEEDS: dict[str, Need] = {
    "nova": of_nova,
    "neutron": of_neutron,
    "cinder": of_cinder,
    "octavia": of_octavia,
    "magnum": of_magnum,
}


def short(service: str, need: Mapping[str, int], there: Mapping[str, Quota]) -> list[Finding]:
    """What the project may not have any more.

    Args:
        service: lower-case name.
        need: how many more of each kind.
        there: the quotas.
    """
    return [
        error(
            "QUOTA_EXCEEDED",
            f"quota.{service}.{kind}",
            f"{count} more {kind} are needed, {free} are left ({there[kind].used} of {there[kind].limit} used)",
            f"ask for a higher quota of {service}, or ask for less",
        )
        for kind, count in need.items()
        if kind in there and (free := there[kind].free) is not None and count > free
    ]


def _check(service: str) -> Check:
    type_, reader = quotas.READERS[service]

    def probe(world: World) -> str:
        cloud = world.cloud
        if not cloud.has_service(type_):
            raise NotApplicable(f"the catalog has no {type_} service")
        asked = world.wanted
        found = {name: flavors.find(cloud, name) for name in asked.machines} if service == "nova" else {}
        machines = {name: machine for name, machine in found.items() if machine}
        need = +NEEDS[service](world.settings, asked, machines)
        if not need:
            raise NotApplicable("nothing more of it is needed")
        with told(service.capitalize()):
            there = reader(cloud)
        raise_for(short(service, need, there))
        return ", ".join(f"{kind} {count} of {_left(there.get(kind))}" for kind, count in need.items())

    return check(f"quota-of-{service}", f"the project's quota of {service.capitalize()} has room for what is asked")(
        probe
    )


def _left(quota: Quota | None) -> str:
    if quota is None:
        return "what it does not tell"
    return "unlimited" if quota.free is None else f"{quota.free} left"


QUOTAS = tuple(_check(service) for service in NEEDS)
"""One check a service, so that each that does not answer is skipped with its own reason."""
