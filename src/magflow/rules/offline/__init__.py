"""All that can be said of an environment from its settings alone: every cluster's rules, labels and versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from magflow.findings import Finding, error, warning
from magflow.rules import access, compatibility, labels
from magflow.rules.compatibility import drivers as compatibility_drivers
from magflow.rules.driver import Target
from magflow.rules.offline import image as offline_image
from magflow.rules.offline import machines as offline_machines
from magflow.rules.offline import network as offline_network
from magflow.settings import Settings

CAUSES = frozenset({"DRIVER_REMOVED", "DRIVER_TOO_NEW", "NO_DRIVER_FOR_TYPE", "RELEASE_MISSING", "RELEASE_UNKNOWN"})
"""While there is no driver, what it makes of the labels cannot be told: these are told alone."""

MORE_EXACT = {"KUBE_TAG_FORMAT": "LABEL_CONFLICT", "KUBE_TAG_IMAGE_SKEW": "LABEL_CONFLICT"}
"""A finding that says the same as another of the same path, and more."""


@dataclass(frozen=True)
class Looked:
    """What a look at the settings found.

    Attributes:
        findings: each once, the errors first.
        target: driver and release of the environment's first cluster.
        clusters: how many clusters were looked at.
    """

    findings: tuple[Finding, ...]
    target: Target
    clusters: int

    @property
    def words(self) -> str:
        """How many clusters, for which driver and release, and how much of that driver was tried."""
        target, many = self.target, f"{self.clusters} cluster{'s' * (self.clusters > 1)}"
        release = f"Magnum {target.release}" if target.release else "Magnum's release not told"
        return f"{many}; {target.driver} ({compatibility.support(target.driver)}), {release}"


def look(settings: Settings) -> Looked:
    """Holds the settings of every cluster against rules, labels and versions.

    Args:
        settings: of the environment.
    """
    found: dict[tuple[str, str], Finding] = {}
    for finding in _all(settings):
        found.setdefault((finding.code, finding.path), finding)
    for exact, vague in MORE_EXACT.items():
        for path in [path for code, path in found if code == exact]:
            found.pop((vague, path), None)
    ordered = sorted(found.values(), key=lambda finding: finding.severity.value)
    first = labels.compile(settings).target
    return Looked(tuple(ordered), first, len(settings.cluster_names))


def _all(settings: Settings) -> Iterator[Finding]:
    yield from _platform(settings)
    yield from access.check(settings)
    for name in settings.cluster_names:
        one = settings.of_cluster(name)
        compiled = labels.compile(one)
        platform = name == settings.cluster.name
        causes = [
            *compiled.target.findings,
            *compatibility_drivers.check(one, compiled.target, one.image.os_distro),
        ]
        helpless = any(finding.code in CAUSES for finding in causes)
        for finding in (
            *causes,
            *(() if helpless else (*compiled.findings, *offline_image.check(one, compiled))),
            *compatibility.check(one, compiled, platform=platform),
            *offline_machines.check(one, compiled),
            *offline_network.check(one, compiled),
        ):
            yield replace(finding, path=settings.path_of(name, finding.path))


def _platform(settings: Settings) -> Iterator[Finding]:
    if settings.stages.training_operator and settings.training.manifests is None:
        yield error(
            "TRAINING_MANIFESTS_UNSET",
            "training.manifests",
            "the stage training_operator is on, and training.manifests is not set",
            "set it to the operator's `manifests` folder, or switch the stage off",
        )
    network = settings.network
    if network.mtu and not (network.fixed or network.cidr):
        yield warning(
            "MTU_NOT_APPLIED",
            "network.mtu",
            "network.mtu is set, but the driver makes the nodes' network and takes no MTU",
            "name the nodes' network (network.fixed) or have one made (network.cidr)",
        )
