"""Rules of the machines: bare metal and volumes, the load balancer, autoscaling, and how long creation takes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from magflow.findings import Finding, error, warning
from magflow.rules.driver import CLUSTER_API
from magflow.rules.labels.model import Compiled
from magflow.settings import Settings

BUILT_AT_ONCE = 10
"""Machines that one nova-compute builds at a time, and with Ironic a single one may serve all (nova.conf,
max_concurrent_builds)."""

VIRTUAL_MINUTES = 3.0
"""Minutes of a virtual machine, where cloud.machine_minutes does not say."""


def check(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    """What does not hold of one cluster's machines.

    Args:
        settings: of one cluster (`Settings.of_cluster`).
        compiled: its labels.
    """
    if settings.cluster.server_type == "bm":
        yield from bare_metal(settings, compiled, "server_type is bm")
    yield from _docker_volume(settings, compiled)
    yield from _load_balancer(settings, compiled)
    yield from _autoscaling(settings, compiled)
    yield from _time(settings, compiled)


def bare_metal(settings: Settings, compiled: Compiled, because: str) -> Iterator[Finding]:
    """What bare metal cannot have: Cinder volumes of the machines (magnum-cluster-api issues 4 and 1028).

    Args:
        settings: of one cluster.
        compiled: its labels.
        because: why the machines are bare metal, for the message.
    """
    volumes = settings.cluster.volumes
    if volumes.docker and volumes.docker.size:
        yield error(
            "BM_WITH_DOCKER_VOLUME",
            "cluster.volumes.docker.size",
            f"docker_volume_size is {volumes.docker.size}, but {because}: an Ironic machine takes no Cinder volume so",
            "leave cluster.volumes.docker out; images then lie on the machine's own disk",
        )
    if volumes.driver:
        yield error(
            "BM_WITH_VOLUME_DRIVER",
            "cluster.volumes.driver",
            f"volume_driver is {volumes.driver}, but {because}: pods' Cinder volumes cannot be attached to it",
            "leave cluster.volumes.driver out",
        )
    size = compiled.effective.get("boot_volume_size", "")
    if (volumes.boot and volumes.boot.size) or (size.isdigit() and int(size)):
        given = volumes.boot.size if volumes.boot else size
        yield error(
            "BM_WITH_BOOT_VOLUME",
            "cluster.volumes.boot.size" if volumes.boot else label_path(compiled, "boot_volume_size"),
            f"boot_volume_size is {given}, but {because}: an Ironic machine boots from its own disk",
            "leave cluster.volumes.boot out; for a boot volume the machine's Ironic storage interface must be cinder",
        )


def label_path(compiled: Compiled, key: str) -> str:
    """Key path of the settings that a label comes from."""
    return next((label.path for label in reversed(compiled.labels) if label.key == key), f"cluster.extra_labels.{key}")


def _docker_volume(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    docker, driver = settings.cluster.volumes.docker, compiled.target.driver
    if driver not in CLUSTER_API or settings.cluster.server_type == "bm" or not (docker and docker.size):
        return
    what = {
        "capi-helm": "the driver capi-helm reads no docker_volume_size",
        "cluster-api": "clusters with docker_volume_size stay CREATE_IN_PROGRESS for ever with the driver cluster-api "
        "(magnum-cluster-api issue 1028; its newest releases make the volume)",
    }[driver]
    yield error(
        "DRIVER_NO_DOCKER_VOLUME",
        "cluster.volumes.docker.size",
        f"{what}; it is {docker.size}",
        "leave cluster.volumes.docker out; cluster.volumes.boot makes the machines' disk larger",
    )


def _load_balancer(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    count, wanted = settings.cluster.control_plane.count, settings.cluster.load_balancer.enabled
    # magnum-capi-helm always makes one (driver.py, enableLoadBalancer)
    if count > 1 and wanted is False and compiled.target.driver != "capi-helm":
        yield error(
            "MASTER_LB_MISSING",
            "cluster.load_balancer.enabled",
            f"the control plane has {count} nodes and no load balancer; nodes would know one of them alone",
            "set cluster.load_balancer.enabled to true (the cloud needs Octavia), or control_plane.count to 1",
        )


def _autoscaling(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    if not settings.cluster.autoscaling:
        return
    for name, group in settings.node_groups.items():
        missing = [key for key in ("min", "max") if getattr(group, key) is None]
        if missing:
            yield error(
                "AUTOSCALING_WITHOUT_RANGE",
                f"node_groups.{name}.{missing[0]}",
                f"cluster.autoscaling is on, and group '{name}' has no {' and no '.join(missing)}",
                "give the group min and max",
            )
        elif group.min == 0 and compiled.target.driver == "capi-helm":
            yield error(
                "AUTOSCALING_FROM_ZERO",
                f"node_groups.{name}.min",
                f"group '{name}' may shrink to 0 nodes, which magnum-capi-helm refuses (driver.py, min_node_count)",
                "set min to 1",
            )


def _time(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    stated, cluster = settings.cloud.machine_minutes, settings.cluster
    workers = sum(group.count for group in settings.node_groups.values())
    # Cluster API's control-plane nodes join one after the other; Heat's and all workers boot together
    control = cluster.control_plane.count if compiled.target.driver in CLUSTER_API else 1
    rounds = control + math.ceil(workers / BUILT_AT_ONCE)
    needed = math.ceil(rounds * (stated or VIRTUAL_MINUTES) * settings.cloud.time_scale)
    if needed <= cluster.create_timeout:
        return
    make = error if stated else warning
    yield make(
        "CREATE_TIMEOUT_SHORT",
        "cluster.create_timeout",
        f"{cluster.control_plane.count} control-plane nodes and {workers} workers need about {needed} minutes "
        f"({rounds} rounds of {stated or VIRTUAL_MINUTES:g} minutes, {BUILT_AT_ONCE} machines at once, time_scale "
        f"{settings.cloud.time_scale:g}); Magnum gives up after {cluster.create_timeout}",
        f"set cluster.create_timeout to {needed} or more",
    )
