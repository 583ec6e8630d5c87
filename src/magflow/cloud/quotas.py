"""What a project may still have of each service: limit and use, in one shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openstack.connection import Connection

from magflow.cloud import magnum
from magflow.cloud.capacity import Forbidden
from magflow.cloud.connection import readable
from magflow.errors import MagflowError


@dataclass(frozen=True)
class Quota:
    """Limit and use of one kind of thing; a limit below 0 is none."""

    limit: int
    used: int

    @property
    def free(self) -> int | None:
        """How many more; None: no limit."""
        return None if self.limit < 0 else max(self.limit - self.used, 0)


Quotas = dict[str, Quota]


def nova(connection: Connection) -> Quotas:
    """Servers, cores and memory (MiB), from Nova's limits, which every user may read."""
    said = _get(connection.compute, "/limits", "Nova")["limits"]["absolute"]
    names = {
        "instances": ("maxTotalInstances", "totalInstancesUsed"),
        "cores": ("maxTotalCores", "totalCoresUsed"),
        "ram": ("maxTotalRAMSize", "totalRAMUsed"),
    }
    return {name: Quota(int(said[limit]), int(said[used])) for name, (limit, used) in names.items()}


def cinder(connection: Connection) -> Quotas:
    """Volumes and their GiB, from Cinder's limits."""
    said = _get(connection.block_storage, "/limits", "Cinder")["limits"]["absolute"]
    names = {
        "volumes": ("maxTotalVolumes", "totalVolumesUsed"),
        "gigabytes": ("maxTotalVolumeGigabytes", "totalGigabytesUsed"),
    }
    return {name: Quota(int(said[limit]), int(said[used])) for name, (limit, used) in names.items()}


def neutron(connection: Connection) -> Quotas:
    """Ports, floating IPs, networks, subnets, routers and security groups."""
    said = _get(connection.network, f"/quotas/{connection.current_project_id}/details", "Neutron")["quota"]
    names = ("port", "floatingip", "network", "subnet", "router", "security_group")
    return {name: Quota(int(said[name]["limit"]), int(said[name]["used"])) for name in names if name in said}


def octavia(connection: Connection) -> Quotas:
    """Load balancers."""
    service: Any = connection.load_balancer
    said = _get(service, f"/v2.0/lbaas/quotas/{connection.current_project_id}", "Octavia")["quota"]
    limit = said.get("load_balancer", said.get("loadbalancer"))
    with readable("Octavia"):
        used = sum(1 for _ in service.load_balancers())
    return {"load_balancer": Quota(-1 if limit is None else int(limit), used)}


def magnum_clusters(connection: Connection) -> Quotas:
    """Clusters. A project without a quota of its own has the service's default, which the API gives too."""
    project = connection.current_project_id
    said = _get(connection.container_infrastructure_management, f"/quotas/{project}/Cluster", "Magnum")
    return {"clusters": Quota(int(said["hard_limit"]), len(magnum.clusters(connection)))}


READERS: dict[str, tuple[str, Callable[[Connection], Quotas]]] = {
    "nova": ("compute", nova),
    "neutron": ("network", neutron),
    "cinder": ("block-storage", cinder),
    "octavia": ("load-balancer", octavia),
    "magnum": ("container-infrastructure-management", magnum_clusters),
}
"""Service -> openstacksdk's name of it, and who reads its quotas."""


def _get(service: Any, path: str, name: str) -> Any:
    with readable(name):
        answer = service.get(path)
    if answer.status_code in {401, 403, 404}:
        raise Forbidden(f"{name} does not tell this user its quotas ({answer.status_code})")
    if answer.status_code >= 400:
        raise MagflowError(f"{name} answered {answer.status_code}: {answer.text[:300]}", where=path)
    return answer.json()
