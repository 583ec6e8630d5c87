"""What a flavor says of its machine."""

from __future__ import annotations

from collections.abc import Mapping

GPUS = "magflow:gpus"
"""Extra spec that says how many GPUs a bare-metal flavor's machine has. An Ironic flavor itself names only a resource
class (Nova administration guide, "Flavors"), so the operator has to say it."""


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
