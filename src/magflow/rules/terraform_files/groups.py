"""Node groups that would be made at once, and counts that an autoscaler changes too."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from magflow.findings import Finding, warning
from magflow.rules.terraform_files.read import Block, Module, literal, text
from magflow.rules.terraform_files.tree import (
    CLUSTER,
    NODE_GROUP,
    Modules,
    ignored,
    references,
    resources,
)

_AUTOSCALING = re.compile(r'auto_scaling_enabled"?\s*[=:]?\s*"?true\b', re.IGNORECASE)


@dataclass(frozen=True)
class _Group:
    """A node group, or a module call that holds some.

    Attributes:
        address: of its block.
        shown: its address, with [*] where there are many.
        cluster: the expression of its cluster; empty when it is not said here.
        many: it stands for several that do not wait for each other.
    """

    address: str
    shown: str
    cluster: str
    many: bool


def parallel(modules: Modules) -> Iterator[Finding]:
    """Node groups of one cluster without an order (2i2c-org/infrastructure issue 5455)."""
    for module in modules.values():
        by_cluster: dict[str, list[_Group]] = defaultdict(list)
        for group in _groups(module, modules):
            by_cluster[group.cluster].append(group)
        reach = _reach(module)
        for groups in by_cluster.values():
            loose = [
                group
                for group in groups
                if group.many
                or any(
                    other is not group
                    and other.address not in reach[group.address]
                    and group.address not in reach[other.address]
                    for other in groups
                )
            ]
            if loose:
                yield warning(
                    "NODEGROUPS_PARALLEL",
                    module.at(loose[0].address),
                    "a Helm-based driver fails the second of two node groups that are made at once: "
                    + ", ".join(group.shown for group in loose),
                    "terraform apply -parallelism=1 (magflow deploy does), or depends_on from each to the one before",
                )


def autoscaled(modules: Modules) -> Iterator[Finding]:
    """A node_count that the next apply would pull back from where an autoscaler has brought it."""
    for module in modules.values():
        scaled = {
            block.address for block in module.of(CLUSTER) if _AUTOSCALING.search(_pairs(block.body.get("labels")))
        }
        for block in module.of(CLUSTER, NODE_GROUP):
            owner = block.address in scaled or scaled & set(references(text(block.body.get("cluster_id"))))
            own = _AUTOSCALING.search(_pairs(block.body.get("labels")))
            if not (owner or own) or "node_count" not in block.body or ignored(block) & {"node_count", "all"}:
                continue
            yield warning(
                "AUTOSCALER_CONFLICT",
                module.at(f"{block.address}.node_count"),
                "the cluster is scaled by an autoscaler, and the next apply would pull node_count back",
                "lifecycle { ignore_changes = [node_count] } in its block",
            )


def _groups(module: Module, modules: Modules) -> Iterator[_Group]:
    for block in module.of(NODE_GROUP):
        many = _repeated(block)
        yield _Group(block.address, _starred(block.address, many), text(block.body.get("cluster_id")), many)
    for address, (folder, call) in module.calls.items():
        inner = resources(modules[folder], modules, NODE_GROUP) if folder in modules else []
        if inner:
            many = _repeated(call)
            shown = f"{_starred(address, many)}.{inner[0].address}"
            yield _Group(address, shown, text(call.body.get("cluster_id")), many)


def _starred(address: str, many: bool) -> str:
    return f"{address}[*]" if many else address


def _repeated(block: Block) -> bool:
    count = block.body.get("count")
    return "for_each" in block.body or (count is not None and literal(count) not in {0, 1})


def _reach(module: Module) -> dict[str, set[str]]:
    """What each block waits for, directly or through others."""
    direct = {
        address: {name for name in references(block.text) if name in module.blocks and name != address}
        for address, block in module.blocks.items()
    }
    found: dict[str, set[str]] = {}
    for start in direct:
        seen: set[str] = set()
        waiting = list(direct[start])
        while waiting:
            this = waiting.pop()
            if this not in seen:
                seen.add(this)
                waiting += direct[this]
        found[start] = seen
    return found


def _pairs(value: object) -> str:
    """Keys and values as text; a map that is written out is flattened to lines by `text`."""
    if isinstance(value, dict):
        return "\n".join(f"{key} = {text(item) or item}" for key, item in value.items())
    return text(value)
