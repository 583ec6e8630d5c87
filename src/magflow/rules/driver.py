"""Which of Magnum's drivers makes the cluster, and why.

Magnum chooses a driver by the template's server_type, the image's os_distro and the orchestrator
(magnum/api/validation.py, enforce_driver_supported). What each of them serves is a table of compatibility.yml.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from magflow.findings import Finding, error
from magflow.rules import releases
from magflow.rules.releases import Release
from magflow.settings import Settings
from magflow.settings.base import Driver

__all__ = ["CLUSTER_API", "HEAT_GONE", "Driver", "Release", "Target", "target"]

CLUSTER_API: frozenset[Driver] = frozenset({"capi-helm", "cluster-api"})
"""The drivers that make clusters by Cluster API."""

HEAT_DISTROS = frozenset({"fedora-atomic", "fedora-coreos", "fedora", "coreos"})
"""os_distro of the images that the drivers on Heat serve."""

HEAT_GONE = 23
"""Major version from which Magnum has no driver of its own (release note drop-heat-driver)."""


@dataclass(frozen=True)
class Target:
    """What the labels are compiled for.

    Attributes:
        driver: Magnum's driver.
        release: of Magnum; None when the settings do not tell it.
        reason: why this driver, one sentence.
        findings: what does not go together.
    """

    driver: Driver
    release: Release | None
    reason: str
    findings: tuple[Finding, ...] = field(default=())


def target(settings: Settings) -> Target:
    """The driver and release of an environment, with the reason.

    Args:
        settings: of one cluster; cloud.driver, cloud.magnum_release, image.os_distro and cluster.server_type decide.
    """
    cloud = settings.cloud
    release: Release | None = None
    findings: list[Finding] = []
    if cloud.magnum_release:
        try:
            release = releases.parse(cloud.magnum_release)
        except releases.UnknownRelease as unknown:
            findings.append(error("RELEASE_UNKNOWN", "cloud.magnum_release", unknown.what, unknown.hint or ""))
    driver, reason = _driver(settings, release)
    findings += _impossible(settings, driver, release)
    return Target(driver, release, reason, tuple(findings))


def _driver(settings: Settings, release: Release | None) -> tuple[Driver, str]:
    chosen, distro = settings.cloud.driver, settings.image.os_distro
    if chosen != "auto":
        return chosen, f"cloud.driver is {chosen}"
    if distro in HEAT_DISTROS:
        return "heat", f"image.os_distro is {distro}, which the drivers on Heat alone serve"
    if distro:
        return "capi-helm", f"image.os_distro is {distro}, which Cluster API drivers serve; cloud.driver is auto"
    if release and release.major >= HEAT_GONE:
        return "capi-helm", f"Magnum {release} has no driver on Heat; cloud.driver is auto"
    return "capi-helm", "cloud.driver is auto and image.os_distro is not set"


def _impossible(settings: Settings, driver: Driver, release: Release | None) -> list[Finding]:
    found: list[Finding] = []
    if driver == "heat" and release and release.major >= HEAT_GONE:
        found.append(
            error(
                "DRIVER_REMOVED",
                "cloud.driver" if settings.cloud.driver == "heat" else "image.os_distro",
                f"Magnum {release} has no driver on Heat: it was removed in 23.0.0",
                "set cloud.driver to capi-helm or cluster-api, with an image that carries kube_version",
            )
        )
    if driver == "heat" and not settings.cloud.magnum_release:
        found.append(
            error(
                "RELEASE_MISSING",
                "cloud.magnum_release",
                "the labels of the drivers on Heat depend on Magnum's release, which is not set",
                "set it to the cloud's, such as stein, 8.1.0 or 2026.1 (Magnum's API does not tell it)",
            )
        )
    return found
