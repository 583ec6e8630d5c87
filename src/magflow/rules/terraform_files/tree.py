"""How the modules of a folder hang together: which are roots, and what each reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from magflow.rules.terraform_files.read import Block, Module, blocks_in

CLUSTER = "openstack_containerinfra_cluster_v1"
NODE_GROUP = "openstack_containerinfra_nodegroup_v1"
TEMPLATE = "openstack_containerinfra_clustertemplate_v1"
KINDS = (CLUSTER, NODE_GROUP, TEMPLATE)

Modules = Mapping[Path, Module]

_REFERENCE = re.compile(r"\b((?:data\.)?[A-Za-z_][\w-]*\.[A-Za-z_][\w-]*)")


def roots(modules: Modules) -> list[Module]:
    """Those that no other one calls."""
    called = {folder for module in modules.values() for folder, _ in module.calls.values()}
    return [module for folder, module in modules.items() if folder not in called]


def is_applied(module: Module) -> bool:
    """Whether a root is meant to be applied by itself: it is what was asked for, or it has a provider or a backend."""
    return (
        not module.name
        or bool(module.named("provider."))
        or any(body.get("backend") or body.get("cloud") for body in module.settings)
    )


def below(module: Module, modules: Modules) -> list[Module]:
    """The module and all local ones that it reaches."""
    found: dict[Path, Module] = {}
    waiting = [module]
    while waiting:
        this = waiting.pop()
        if this.folder.resolve() not in found:
            found[this.folder.resolve()] = this
            waiting += [modules[folder] for folder, _ in this.calls.values() if folder in modules]
    return list(found.values())


def resources(module: Module, modules: Modules, *kinds: str) -> list[Block]:
    """The resources of some types in the module and all that it reaches."""
    return [block for one in below(module, modules) for block in one.of(*kinds)]


def references(text: str) -> Iterator[str]:
    """What looks like an address in an expression: `TYPE.NAME`, `data.TYPE.NAME`, `module.NAME`, `local.NAME`."""
    for found in _REFERENCE.finditer(text):
        yield found[1]
        if found[1].startswith("data."):
            # data.TYPE.NAME has three parts
            yield ".".join(text[found.start() :].split(".")[:2]) + "." + _word(text[found.end() :])


def _word(rest: str) -> str:
    found = re.match(r"\.([\w-]+)", rest)
    return found[1] if found else ""


def ignored(block: Block) -> set[str]:
    """The attributes in a resource's lifecycle.ignore_changes; `all` stands for every one."""
    names: set[str] = set()
    for lifecycle in blocks_in(block.body, "lifecycle"):
        listed = lifecycle.get("ignore_changes") or []
        for item in listed if isinstance(listed, list) else [listed]:
            names.add(re.split(r"[.\[]", str(item).strip('"${}'))[0])
    return names
