"""Flavors: each stands for a kind of bare-metal machine, as a cloud with Ironic has them."""

from __future__ import annotations

from dataclasses import dataclass

from openstack.connection import Connection

GPUS = "magflow:gpus"
"""Extra spec that tells how many GPUs a machine has; Nova itself does not know."""


@dataclass(frozen=True)
class Flavor:
    """A machine.

    Attributes:
        vcpus: processors.
        ram: memory in MiB.
        disk: root disk in GB.
        gpus: graphics processors.
    """

    name: str
    vcpus: int
    ram: int
    disk: int
    gpus: int = 0

    @property
    def extra_specs(self) -> dict[str, str]:
        """The usual specs of an Ironic flavor: one unit of its class, none of a virtual machine's resources."""
        kind = self.name.upper().replace(".", "_").replace("-", "_")
        specs = {
            f"resources:CUSTOM_BAREMETAL_{kind}": "1",
            "resources:VCPU": "0",
            "resources:MEMORY_MB": "0",
            "resources:DISK_GB": "0",
        }
        return {**specs, GPUS: str(self.gpus)} if self.gpus else specs


FLAVORS = (
    Flavor("bm.control", vcpus=8, ram=32 * 1024, disk=200),
    Flavor("bm.cpu", vcpus=32, ram=128 * 1024, disk=400),
    Flavor("bm.gpu4", vcpus=64, ram=512 * 1024, disk=800, gpus=4),
    # below the driver's floor (2 vCPU, 2048 MiB): clusters with it are refused
    Flavor("bm.tiny", vcpus=1, ram=1024, disk=20),
)


def ensure(admin: Connection) -> None:
    """Make the flavors that are missing."""
    known = {flavor.name for flavor in admin.compute.flavors()}
    for flavor in FLAVORS:
        if flavor.name not in known:
            made = admin.compute.create_flavor(
                name=flavor.name, vcpus=flavor.vcpus, ram=flavor.ram, disk=flavor.disk, is_public=True
            )
            admin.compute.create_flavor_extra_specs(made, flavor.extra_specs)
