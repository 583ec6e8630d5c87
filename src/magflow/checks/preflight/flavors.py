"""Preflight of the flavors: there, bootable, Ironic's where they are to be, with the GPUs that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from magflow.checks.model import NotApplicable, Problem, check, raise_for
from magflow.checks.preflight.each import every, told
from magflow.checks.world import World
from magflow.cloud import capacity
from magflow.cloud import flavors as cloud_flavors
from magflow.cloud.flavors import GPUS, Machine
from magflow.findings import Finding, error, warning
from magflow.rules.labels.model import Compiled
from magflow.rules.offline import machines as offline_machines
from magflow.settings import Settings

LEAST = (2, 2048)
"""Processors and MiB that magnum-capi-helm asks of every machine (conf.py, minimum_flavor_vcpus and _ram; the cloud's
operator may have set others)."""

Roles = dict[str, tuple[str, int]]


@check("flavors-fit", "every flavor is there, boots, and has the GPUs that are asked for")
def flavors_fit(world: World) -> str:
    """Looks each flavor up once and holds every cluster's machines against it."""
    machines = {name: cloud_flavors.find(world.cloud, name) for name in _names(world)}
    raise_for(every(world, partial(rules, machines)))
    kinds = {name: "Ironic" if m and m.resource_class else "virtual" for name, m in machines.items()}
    return ", ".join(f"{name} ({kind})" for name, kind in kinds.items())


@check("machines-are-free", "Ironic has as many free machines of each class as are still to be made")
def machines_are_free(world: World) -> str:
    """Asks Placement, in which every Ironic node is a provider of one of its class."""
    wanted = world.wanted
    classes: dict[str, int] = {}
    for flavor, count in wanted.machines.items():
        machine = cloud_flavors.find(world.cloud, flavor)
        if machine and machine.resource_class:
            classes[machine.resource_class] = classes.get(machine.resource_class, 0) + count
    if not wanted.machines:
        raise NotApplicable("no machine is still to be made")
    if not classes:
        raise NotApplicable("no flavor takes an Ironic machine")
    if not world.cloud.has_service("placement"):
        raise NotApplicable("the catalog has no placement service")
    with told("Placement"):
        free = {name: capacity.free_machines(world.cloud, name) for name in classes}
    short = {name: count for name, count in classes.items() if free[name] < count}
    if short:
        said = "; ".join(f"{count} of {name} are to be made, {free[name]} are free" for name, count in short.items())
        raise Problem(
            said, hint="openstack baremetal node list --provision-state available; lower the counts", final=True
        )
    return ", ".join(f"{name}: {count} of {free[name]}" for name, count in classes.items())


def _names(world: World) -> list[str]:
    names: list[str] = []
    for name in world.settings.cluster_names:
        names += [flavor for flavor, _ in _roles(world.settings.of_cluster(name)).values()]
    return list(dict.fromkeys(names))


def _roles(settings: Settings) -> Roles:
    """Flavor and GPUs asked for, by the part of the settings that names them."""
    roles: Roles = {"cluster.control_plane": (settings.cluster.control_plane.flavor, 0)}
    return roles | {f"node_groups.{name}": (group.flavor, group.gpus) for name, group in settings.node_groups.items()}


def rules(machines: dict[str, Machine | None], settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    """What does not hold of one cluster's flavors.

    Args:
        machines: each flavor's machine; None: there is no such flavor.
        settings: of one cluster.
        compiled: its labels.
    """
    bare = False
    for path, (name, gpus) in _roles(settings).items():
        machine = machines[name]
        if machine is None:
            what = f"there is no flavor '{name}' ({path}.flavor)"
            yield error("FLAVOR_MISSING", f"{path}.flavor", what, "openstack flavor list; then set it")
            continue
        bare = bare or machine.resource_class is not None
        yield from _gpus(path, machine, gpus)
        yield from _boots(path, machine, settings, compiled)
        yield from _ironic(path, machine)
        if compiled.target.driver == "capi-helm" and (machine.vcpus < LEAST[0] or machine.ram < LEAST[1]):
            what = f"flavor '{name}' has {machine.vcpus} vCPU and {machine.ram} MiB; magnum-capi-helm asks for "
            what += f"{LEAST[0]} and {LEAST[1]} unless its operator set others"
            yield warning("FLAVOR_TOO_SMALL", f"{path}.flavor", what, "choose a larger flavor")
    if bare and settings.cluster.server_type == "vm":
        yield from offline_machines.bare_metal(settings, compiled, "a flavor takes an Ironic machine")


def _gpus(path: str, machine: Machine, gpus: int) -> Iterator[Finding]:
    there = machine.gpus
    if gpus and (there or 0) != gpus:
        yield error(
            "FLAVOR_GPUS_DIFFER",
            f"{path}.gpus",
            f"{path} asks for {gpus} GPUs a node, flavor '{machine.name}' "
            + (f"has {there}" if there is not None else "says nothing of GPUs"),
            f"choose another flavor, set gpus to 0, or have the flavor say it: "
            f"openstack flavor set {machine.name} --property {GPUS}={gpus}",
        )


def _boots(path: str, machine: Machine, settings: Settings, compiled: Compiled) -> Iterator[Finding]:
    label = compiled.effective.get("boot_volume_size", "")
    boot = settings.cluster.volumes.boot
    if machine.disk or (boot and boot.size) or (label.isdigit() and int(label)):
        return
    yield error(
        "FLAVOR_ROOT_DISK_ZERO",
        f"{path}.flavor",
        f"flavor '{machine.name}' has no root disk (0 GB), and no boot volume is asked for: the machine cannot boot "
        "(magnum-cluster-api issue 633)",
        "choose a flavor with a disk"
        + ("" if machine.resource_class else ", or set cluster.volumes.boot.size (label boot_volume_size)"),
    )


def _ironic(path: str, machine: Machine) -> Iterator[Finding]:
    if machine.not_zero:
        yield error(
            "FLAVOR_RESOURCES_NOT_ZERO",
            f"{path}.flavor",
            f"flavor '{machine.name}' takes one {machine.resource_class}, and also {', '.join(machine.not_zero)}, "
            "which no Ironic machine offers: the scheduler finds none",
            f"openstack flavor set {machine.name} "
            + " ".join(f"--property {spec}=0" for spec in machine.not_zero)
            + " (Ironic guide, Create flavors)",
        )
