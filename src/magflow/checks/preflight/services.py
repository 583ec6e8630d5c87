"""Preflight of the cloud's services: Magnum, and those that the clusters need."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from magflow.checks.model import Problem, Warned, check
from magflow.checks.preflight.each import every
from magflow.checks.world import World
from magflow.cloud import magnum
from magflow.cloud.connection import readable
from magflow.findings import Finding, error, errors, warning
from magflow.rules.labels.model import Compiled
from magflow.settings import Settings

NAMES = {
    "load-balancer": "Octavia",
    "orchestration": "Heat",
    "block-storage": "Cinder",
    "key-manager": "Barbican",
    "dns": "Designate",
}
"""Catalog type and name of what clusters may need."""

Has = Callable[[str], bool]


@check("magnum-answers", "Magnum answers", fatal=True)
def magnum_answers(world: World) -> str:
    """Asks for the API's versions."""
    with readable("Magnum"):
        service = world.cloud.container_infrastructure_management
        version = service.get("/").headers.get("OpenStack-API-Maximum-Version", "unknown")
    magnum.clusters(world.cloud)
    return f"API microversion up to {str(version).split()[-1]}"


@check("cloud-services-are-there", "the catalog has the services that the clusters need")
def services_are_there(world: World) -> str:
    """Says which of them are there; whether Magnum itself keeps its certificates in Barbican no API tells."""
    has = world.cloud.has_service
    there = ", ".join(f"{name} {'yes' if has(kind) else 'no'}" for kind, name in NAMES.items())
    found = every(world, lambda settings, compiled: missing_services(settings, compiled, has))
    if errors(found):
        raise Problem(there, final=True, findings=found)
    if found:
        raise Warned(there, findings=found)
    return there


def missing_services(settings: Settings, compiled: Compiled, has: Has) -> Iterator[Finding]:
    """What one cluster asks for and the catalog has not.

    Args:
        settings: of one cluster.
        compiled: its labels.
        has: whether the catalog has a service of a type.
    """
    driver, cluster = compiled.target.driver, settings.cluster
    if driver == "heat" and not has("orchestration"):
        yield error(
            "HEAT_MISSING",
            "cloud.driver",
            "the driver is heat, and the catalog has no orchestration service",
            "deploy Heat, or choose a Cluster API driver",
        )
    if not has("load-balancer"):
        yield from _no_octavia(settings, compiled)
    volumes = cluster.volumes
    asked = {"driver": volumes.driver, "boot": volumes.boot, "docker": volumes.docker, "etcd": volumes.etcd}
    for key in (key for key, value in asked.items() if value) if not has("block-storage") else ():
        yield error(
            "CINDER_MISSING",
            f"cluster.volumes.{key}",
            f"cluster.volumes.{key} is set, and the catalog has no block storage service",
            f"leave cluster.volumes.{key} out, or deploy Cinder",
        )


def _no_octavia(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    balancer, count = settings.cluster.load_balancer.enabled, settings.cluster.control_plane.count
    path, hint = "cluster.load_balancer.enabled", "deploy Octavia (docs/control-plane.md)"
    if balancer:
        what = "a load balancer for the control plane is asked for, and the catalog has no load-balancer service"
        yield error("OCTAVIA_MISSING", path, what, f"{hint}, or set it to false with one control-plane node")
    elif balancer is None and count > 1:
        what = f"{count} control-plane nodes need a load balancer, and the catalog has no load-balancer service"
        yield error("OCTAVIA_MISSING", path, what, f"{hint}, or set control_plane.count to 1")
    elif compiled.target.driver == "capi-helm":
        what = "magnum-capi-helm asks for a load balancer for every control plane, and the catalog has no such service"
        yield warning("OCTAVIA_MISSING", path, what, hint)
    if settings.ingress.controller == "octavia":
        yield error(
            "OCTAVIA_MISSING",
            "ingress.controller",
            "ingress.controller is octavia, and the catalog has no load-balancer service",
            f"{hint}, or set ingress.controller to traefik",
        )
