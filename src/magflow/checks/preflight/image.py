"""Preflight of the image and the keypair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from magflow import paths
from magflow.checks.model import Problem, check, raise_for
from magflow.checks.preflight.each import every
from magflow.checks.world import World
from magflow.cloud.connection import readable
from magflow.findings import Finding, error
from magflow.rules.compatibility import drivers as compatibility_drivers
from magflow.rules.driver import CLUSTER_API
from magflow.rules.labels.model import Compiled
from magflow.rules.offline import image as offline_image
from magflow.settings import Settings


@check("image-fits", "the image is there, a driver serves it, and it carries the Kubernetes version")
def image_fits(world: World) -> str:
    """Reads os_distro (every driver) and kube_version (Cluster API drivers) as the drivers do."""
    said: list[str] = []
    known: dict[str, Any] = {}

    def look(settings: Settings, compiled: Compiled) -> Iterator[Finding]:
        image = settings.image
        if image.file:
            if not image.file.is_file():
                yield error("IMAGE_FILE_MISSING", "image.file", f"{image.file} is not a file", "set image.file")
            said.append(f"{image.name} is uploaded from {paths.shown(image.file)}")
            return
        if image.name not in known:
            with readable("Glance"):
                known[image.name] = world.cloud.image.find_image(image.name)
        found = known[image.name]
        if found is None:
            hint = "openstack image list; then set image.name"
            yield error("IMAGE_MISSING", "image.name", f"there is no image '{image.name}'", hint)
            return
        properties = {"os_distro": found.os_distro, "kube_version": (found.properties or {}).get("kube_version")}
        yield from of_image(settings, compiled, f"'{found.name}' ({found.id})", properties)
        program = compatibility_drivers.program(settings, compiled.target, found.os_distro)
        carries = f", kube_version {properties['kube_version']}" if properties["kube_version"] else ""
        said.append(f"{found.name}: os_distro {found.os_distro}{carries}, served by {program}")

    raise_for(every(world, look))
    return "; ".join(dict.fromkeys(said))


def of_image(
    settings: Settings, compiled: Compiled, image: str, properties: dict[str, str | None]
) -> Iterator[Finding]:
    """What does not hold of an image in Glance.

    Args:
        settings: of one cluster.
        compiled: its labels.
        image: its name and id, in words.
        properties: os_distro and kube_version.
    """
    identifier = image.rpartition("(")[2].rstrip(")")
    distro, version = properties["os_distro"], properties["kube_version"]
    if not distro:
        yield error(
            "IMAGE_OS_DISTRO_MISSING",
            "image.name",
            f"image {image} has no property os_distro, and Magnum finds no driver for it",
            f"openstack image set {identifier} --property os_distro=ubuntu (or what it is)",
        )
    else:
        yield from compatibility_drivers.check(settings, compiled.target, distro, identifier)
        if settings.image.os_distro and settings.image.os_distro != distro:
            yield error(
                "IMAGE_OS_DISTRO_DIFFERS",
                "image.os_distro",
                f"image {image} has os_distro {distro}, image.os_distro is {settings.image.os_distro}",
                "set image.os_distro to what the image is, or leave it out",
            )
    if compiled.target.driver in CLUSTER_API and not version:
        yield error(
            "IMAGE_KUBE_VERSION_MISSING",
            "image.name",
            f"image {image} has no property kube_version, by which the driver knows what it carries",
            f"openstack image set {identifier} --property kube_version=v1.36.3 (or what it carries)",
        )
    yield from offline_image.carried(settings, compiled, version, f"image {image}")


@check("keypair-is-there", "the keypair is there")
def keypair_is_there(world: World) -> str:
    """Keypairs belong to a user: another user's is not seen."""
    name, public_key = world.settings.keypair, world.settings.public_key
    if public_key:
        if not public_key.is_file():
            raise Problem(f"public_key {public_key} is not a file", hint="set public_key to a .pub file", final=True)
        return f"{name} is made from {paths.shown(public_key)}"
    with readable("Nova, keypairs"):
        if world.cloud.compute.find_keypair(name) is None:
            raise Problem(
                f"there is no keypair '{name}' of this user",
                hint=f"openstack keypair create --public-key ~/.ssh/id_ed25519.pub {name}",
                final=True,
            )
    return name
