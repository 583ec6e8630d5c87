"""What a flavor says of its machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openstack.connection import Connection

from magflow.cloud.connection import readable

GPUS = "magflow:gpus"
"""Extra spec that says how many GPUs a bare-metal flavor's machine has. An Ironic flavor itself names only a resource
class (Nova administration guide, "Flavors"), so the operator has to say it."""

CUSTOM = "resources:CUSTOM_"
VIRTUAL = ("resources:VCPU", "resources:MEMORY_MB", "resources:DISK_GB")
"""What an Ironic machine does not offer: a flavor that asks for it finds none (Ironic guide, "Create flavors")."""


@dataclass(frozen=True)
class Machine:
    """A flavor's machine.

    Attributes:
        name: of the flavor.
        vcpus: processors.
        ram: memory in MiB.
        disk: root disk in GB.
        specs: the extra specs.
    """

    name: str
    vcpus: int
    ram: int
    disk: int
    specs: Mapping[str, str]

    @property
    def resource_class(self) -> str | None:
        """The class of Ironic machine that it takes one of, such as CUSTOM_BAREMETAL_GPU4; None: it is virtual."""
        names = (
            key.removeprefix("resources:") for key, count in self.specs.items() if key.startswith(CUSTOM) and count
        )
        return next(names, None)

    @property
    def not_zero(self) -> list[str]:
        """For an Ironic machine: the specs that should be "0" and are not."""
        return [spec for spec in VIRTUAL if self.specs.get(spec) != "0"] if self.resource_class else []

    @property
    def gpus(self) -> int | None:
        """GPUs of the machine, or None when the flavor does not say."""
        return gpus_of(self.specs)


def find(connection: Connection, name: str) -> Machine | None:
    """The machine of a flavor; None: the project sees no such flavor.

    Args:
        connection: an authenticated connection.
        name: name or id of the flavor.

    Raises:
        MagflowError: with Nova's own words.
    """
    with readable("Nova, flavors"):
        found: Any = connection.compute.find_flavor(name, get_extra_specs=True)
    if found is None:
        return None
    return Machine(found.name, int(found.vcpus), int(found.ram), int(found.disk), found.extra_specs or {})


def gpus_of(extra_specs: Mapping[str, str]) -> int | None:
    """GPUs of one machine, or None when the flavor does not say.

    Understood are `magflow:gpus`, and `pci_passthrough:alias` ("alias:count[,...]", Nova "PCI passthrough" guide) of
    flavors whose machines are virtual.

    Args:
        extra_specs: the flavor's extra specs.
    """
    if GPUS in extra_specs:
        given = extra_specs[GPUS]
        return int(given) if given.isdigit() else None
    if alias := extra_specs.get("pci_passthrough:alias"):
        counts = [part.rpartition(":")[2] for part in alias.split(",")]
        return sum(int(count) for count in counts if count.strip().isdigit())
    return None
