"""Rules of the image and of kube_tag, the label that says which Kubernetes a machine runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from magflow.findings import Finding, error
from magflow.rules.driver import CLUSTER_API
from magflow.rules.labels.model import Compiled
from magflow.rules.offline.machines import label_path
from magflow.settings import Settings
from magflow.settings.base import Driver

_TAG = re.compile(r"^v\d+\.\d+\.\d+(-[A-Za-z0-9.-]+)?$")


def check(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    """What does not hold of one cluster's image.

    Args:
        settings: of one cluster (`Settings.of_cluster`).
        compiled: its labels.
    """
    driver, image = compiled.target.driver, settings.image
    if driver in CLUSTER_API and image.file and not image.kube_version:
        yield error(
            "IMAGE_KUBE_VERSION_MISSING",
            "image.kube_version",
            f"image.file is uploaded without kube_version, by which the driver {driver} knows what the image carries",
            "set image.kube_version to the version that the image was built with",
        )
    yield from carried(settings, compiled, image.kube_version, f"image '{image.name}' (image.kube_version)")
    # labels of the cluster's own that take the place of the template's are told by the labels' own rules
    if compiled.own is None or compiled.merge or "kube_tag" in compiled.effective:
        yield from kube_tag(compiled.effective, driver, label_path(compiled, "kube_tag"))


def kube_tag(labels: Mapping[str, str], driver: Driver, path: str) -> Iterator[Finding]:
    """Whether kube_tag is there and well formed (magnum-cluster-api issues 354 and 821).

    Args:
        labels: what the driver reads in the end.
        driver: magnum-capi-helm has no such label: it reads the image's kube_version.
        path: key path of the settings that the label comes from.
    """
    tag = labels.get("kube_tag")
    if driver == "capi-helm":
        return
    if not tag:
        yield error(
            "KUBE_TAG_MISSING",
            path,
            "there is no label kube_tag, and the driver's default is older than most images",
            "set kube_tag to the Kubernetes version that the image carries",
        )
    elif not _TAG.match(tag):
        yield error(
            "KUBE_TAG_FORMAT",
            path,
            f"kube_tag is '{tag}'; it is written with a leading v: v1.28.9 or v1.28.9-rancher1",
            f"write v{tag}" if _TAG.match(f"v{tag}") else "write it like v1.28.9",
        )


def carried(settings: Settings, compiled: Compiled, kube_version: str | None, where: str) -> Iterator[Finding]:
    """Whether the version that is asked for is the one that the image carries; Cluster API drivers alone.

    Args:
        settings: of one cluster.
        compiled: its labels.
        kube_version: the image's property; None: not told.
        where: the image in words.
    """
    if compiled.target.driver not in CLUSTER_API or not kube_version:
        return
    asked = {"cluster.kubernetes": settings.cluster.kubernetes}
    if tag := compiled.effective.get("kube_tag"):
        asked = {label_path(compiled, "kube_tag"): tag} | asked
    for path, wanted in asked.items():
        if _base(wanted) != _base(kube_version):
            yield error(
                "KUBE_TAG_IMAGE_SKEW",
                path,
                f"{where} carries Kubernetes v{_base(kube_version)}, {path} is {wanted}: kubelet and control plane "
                "would differ, and nodes fail to join",
                f"choose the image of {wanted}, or set {path} to v{_base(kube_version)}",
            )
            return


def _base(text: str) -> str:
    return text.removeprefix("v").split("-")[0].split("+")[0]
