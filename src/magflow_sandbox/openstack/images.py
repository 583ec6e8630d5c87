"""Images: small raw files; what counts are the properties that Magnum and its driver read."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

from openstack.connection import Connection

CONTENT = b"no operating system: nodes of the sandbox are not booted\n".ljust(4096, b"\0")


@dataclass(frozen=True)
class Image:
    """An image with the properties `os_distro` and `kube_version`, or without."""

    name: str
    properties: dict[str, str] = field(default_factory=dict)


IMAGES = (
    Image("ubuntu-jammy-kube-v1.36.3", {"os_distro": "ubuntu", "kube_version": "v1.36.3"}),
    # of the full tool set: a cluster to be upgraded
    Image("ubuntu-jammy-kube-v1.36.1", {"os_distro": "ubuntu", "kube_version": "v1.36.1"}),
    # a version of which the sandbox has no binaries: its clusters are refused with that reason
    Image("ubuntu-jammy-kube-v1.35.4", {"os_distro": "ubuntu", "kube_version": "v1.35.4"}),
    Image("ubuntu-jammy-no-kube-version", {"os_distro": "ubuntu"}),
    Image("no-distro"),
)


def ensure(admin: Connection) -> None:
    """Upload the images that are missing; one whose upload was interrupted is made anew."""
    glance: Any = admin.image
    known = {image.name: image for image in glance.images()}
    for image in IMAGES:
        found = known.get(image.name)
        if found is not None and found.status == "active":
            continue
        if found is not None:
            glance.delete_image(found)
        made = glance.create_image(
            image.name,
            disk_format="raw",
            container_format="bare",
            visibility="public",
            allow_duplicates=True,
            **image.properties,
        )
        made.data = io.BytesIO(CONTENT)
        made.upload(glance)
