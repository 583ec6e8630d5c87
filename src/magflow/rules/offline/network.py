"""Rules of the networks: ranges that overlap, what a proxy must not get, and registries that count pulls."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from magflow.findings import Finding, error, warning
from magflow.rules.compatibility.data import table
from magflow.rules.labels.model import Compiled
from magflow.settings import Settings

Network = IPv4Network | IPv6Network

HUB_PULLS = 100
"""Pulls without an account that Docker Hub gives one address in six hours (docs.docker.com, Docker Hub usage)."""

PULLS_A_MACHINE = 5
"""Images of Docker Hub that one machine pulls: network driver, cloud provider, and what the stages add."""


def check(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    """What does not hold of one cluster's networks.

    Args:
        settings: of one cluster (`Settings.of_cluster`).
        compiled: its labels.
    """
    ranges = _ranges(settings, compiled)
    yield from _overlaps(ranges)
    yield from _proxy(settings, ranges)
    yield from _registry(settings)


def _ranges(settings: Settings, compiled: Compiled) -> dict[str, Network]:
    """The ranges that are known, by key path; the driver's own where the settings leave one out."""
    network, target = settings.network, compiled.target
    release = target.release.version if target.release else None
    own = next(
        (
            row
            for row in table().ranges
            if row.driver == target.driver
            and row.network_driver in (None, network.driver)
            and (row.magnum is None or release is None or row.magnum.holds(release))
        ),
        None,
    )
    pods = network.pods or (own.pods if own else None)
    services = network.services or (own.services if own else None)
    given = {"network.pods": pods, "network.services": services, "network.cidr": network.cidr}
    return {path: ip_network(text, strict=False) for path, text in given.items() if text}


def _overlaps(ranges: dict[str, Network]) -> Iterator[Finding]:
    for (path, one), (other_path, other) in itertools.combinations(ranges.items(), 2):
        if one.version == other.version and one.overlaps(other):
            yield error(
                "RANGES_OVERLAP",
                other_path,
                f"{other_path} {other} and {path} {one} overlap; addresses in both could not be told apart",
                "choose ranges that no other part uses",
            )


def _proxy(settings: Settings, ranges: dict[str, Network]) -> Iterator[Finding]:
    proxy = settings.cluster.proxy
    if proxy is None or "*" in proxy.no_proxy:
        return
    covered = [network for entry in proxy.no_proxy if (network := _network(entry))]
    gaps = [f"{network} ({path.partition('.')[2]})" for path, network in ranges.items() if not _in(network, covered)]
    gaps += [name for name in (".svc", ".cluster.local") if not any(_ends(name, entry) for entry in proxy.no_proxy)]
    if gaps:
        yield warning(
            "PROXY_GAP",
            "cluster.proxy.no_proxy",
            f"traffic inside the cluster would go to the proxy: no_proxy lacks {', '.join(gaps)}",
            "add them to cluster.proxy.no_proxy",
        )


def _network(entry: str) -> Network | None:
    try:
        return ip_network(entry, strict=False)
    except ValueError:
        return None


def _in(network: Network, covered: list[Network]) -> bool:
    return any(
        one.version == network.version and network.subnet_of(one)  # type: ignore[arg-type]
        for one in covered
    )


def _ends(name: str, entry: str) -> bool:
    """Whether an entry of no_proxy reaches the names that end so."""
    return name.strip(".") == entry.lstrip("*").strip(".")


def _registry(settings: Settings) -> Iterator[Finding]:
    machines = settings.cluster.control_plane.count + sum(group.count for group in settings.node_groups.values())
    pulls = machines * PULLS_A_MACHINE
    if settings.cluster.registry_mirror or pulls <= HUB_PULLS:
        return
    yield warning(
        "REGISTRY_LIMIT",
        "cluster.registry_mirror",
        f"{machines} machines pull about {pulls} images of docker.io at once, which gives {HUB_PULLS} in six hours to "
        "one address; behind one router all machines share it",
        "set cluster.registry_mirror to a registry of your own that has the images",
    )
