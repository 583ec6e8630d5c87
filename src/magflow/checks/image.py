"""Stage image: active in Glance, with the properties and the content that were asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from openstack.image.v2.image import Image

from magflow.checks.model import NotApplicable, Problem, check
from magflow.checks.world import World
from magflow.cloud.connection import readable

AGAIN = "openstack image show ID tells more; delete it and deploy the stage image again"


@check("image-is-active", "Glance has the uploaded image, and it can be used", within=60, fatal=True)
def is_active(world: World) -> str:
    """Reads the image's status."""
    image = _uploaded(world)
    if image.status in {"killed", "deleted", "pending_delete"}:
        raise Problem(f"image {image.id} is {image.status}", hint=AGAIN, final=True)
    if image.status != "active":
        raise Problem(f"image {image.id} is {image.status}", hint="Glance is still at work on it")
    return f"{image.id}, {image.size} bytes"


@check("image-properties-are-asked", "the image has the properties by which Magnum finds driver and version")
def properties_are_asked(world: World) -> str:
    """Compares what Glance holds: Terraform's provider does not see a changed property that begins with os_."""
    image, wanted = _uploaded(world), world.settings.image
    asked = {"os_distro": wanted.os_distro, "os_version": wanted.os_version, "kube_version": wanted.kube_version}
    # openstacksdk knows the first two by name, the rest is in `properties`
    found = {"os_distro": image.os_distro, "os_version": image.os_version} | dict(image.properties or {})
    wanted_ones = {key: value for key, value in asked.items() if value}
    wrong = [
        f"{key} is {found.get(key)}, asked for was {value}"
        for key, value in wanted_ones.items()
        if found.get(key) != value
    ]
    if wrong:
        raise Problem("; ".join(wrong), hint=f"openstack image set --property KEY=VALUE {image.id}", final=True)
    return ", ".join(f"{key} {value}" for key, value in wanted_ones.items())


@check("image-checksum-is-asked", "Glance's image is the file whose checksum was asked for")
def checksum_is_asked(world: World) -> str:
    """Compares Glance's own hash of what it stored with the checksum, or where the kinds differ with the file's."""
    image, wanted = _uploaded(world), world.settings.image
    kind, _, digest = str(wanted.checksum).partition(":")
    if not image.hash_algo or not image.hash_value:
        raise NotApplicable("Glance keeps no hash of this image")
    if image.hash_algo != kind:
        if not wanted.file or not wanted.file.is_file():
            raise NotApplicable(f"Glance keeps {image.hash_algo}, asked for was {kind}, and the file is gone")
        if _digest(wanted.file, kind) != digest:
            raise Problem(
                f"the file {wanted.file} has another {kind} than image.checksum says", hint="the file was changed"
            )
        digest = _digest(wanted.file, image.hash_algo)
    if image.hash_value != digest:
        raise Problem(f"{image.hash_algo} is {image.hash_value}, the file's is {digest}", hint=AGAIN, final=True)
    return f"{image.hash_algo} {digest[:16]}..."


def _uploaded(world: World) -> Image:
    wanted = world.settings.image
    with readable(f"Glance, image '{wanted.name}'"):
        images: Iterable[Image] = world.cloud.image.images(name=wanted.name)  # type: ignore[no-untyped-call]
        found = [image for image in images if _mark(image) == wanted.checksum]
    if not found:
        raise Problem(
            f"Glance has no image '{wanted.name}' that carries magflow_checksum={wanted.checksum}",
            hint="magflow deploy uploads it",
        )
    newest: Image = max(found, key=lambda image: str(image.created_at))
    return newest


def _mark(image: Image) -> str | None:
    value = (image.properties or {}).get("magflow_checksum")
    return str(value) if value else None


def _digest(file: Path, kind: str) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, kind).hexdigest()
