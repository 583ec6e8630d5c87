"""Releases of the OpenStack provider that cannot do what the files ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from magflow.findings import Finding, error, warning
from magflow.rules.terraform_files import constraint as versions
from magflow.rules.terraform_files.constraint import Range, Release
from magflow.rules.terraform_files.read import Module, blocks_in, literal, locked
from magflow.rules.terraform_files.tree import CLUSTER, KINDS, NODE_GROUP, TEMPLATE, Modules, below, resources, roots

NAME = "openstack"


@dataclass(frozen=True)
class Defect:
    """Something that a release cannot do.

    Attributes:
        fixed: the first release that can.
        kinds: resources that it concerns.
        argument: it concerns only those that have this argument.
        what: in a few words, with its source.
    """

    fixed: Release
    kinds: tuple[str, ...]
    what: str
    argument: str = ""


STOPPING = (
    Defect((1, 48, 0), (NODE_GROUP,), "there is no resource for node groups"),
    Defect((1, 49, 0), (CLUSTER, NODE_GROUP), "node_count is sent as text, so scaling fails (provider issue 1102)"),
    Defect((1, 50, 0), (TEMPLATE,), "changed labels of a template are refused (provider issue 1375)", "labels"),
)
"""What ends an apply."""

KNOWN = (
    Defect((1, 53, 0), (CLUSTER,), "another cluster_template_id replaces the cluster", "cluster_template_id"),
    Defect((3, 4, 0), (CLUSTER,), "update and delete fail while Magnum goes on (provider issues 1928, 1939)"),
)
"""What is worth a warning where the constraint keeps a later release out."""


@dataclass(frozen=True)
class _Found:
    """A constraint and the path that it stands at."""

    path: str
    text: str


def too_old(modules: Modules) -> Iterator[Finding]:
    """A constraint that lets in a release without what the files use; what is locked counts more."""
    for root in roots(modules):
        if not resources(root, modules, *KINDS):
            continue
        found = [one for module in below(root, modules) for one in _constraints(module)]
        lock = locked(root.folder, NAME)
        if not found and not lock:
            path = root.at(f"required_providers.{NAME}")
            yield warning("PROVIDER_NOT_PINNED", path, "no release of the provider is asked for", 'version = "~> 3.4"')
            continue
        yield from _judge(root, modules, found, lock)


def _judge(root: Module, modules: Modules, found: list[_Found], lock: str | None) -> Iterator[Finding]:
    path = found[0].path if found else root.at(f"required_providers.{NAME}")
    allowed = Range()
    for one in found:
        try:
            allowed = allowed.meet(versions.parse(one.text))
        except ValueError as problem:
            yield error("PROVIDER_CONSTRAINT_INVALID", one.path, str(problem), 'such as version = "~> 3.4"')
            return
    given = " and ".join(f'"{text}"' for text in dict.fromkeys(one.text for one in found))
    said = f"the constraint {given} lets in" if given else "the lock file holds"
    if lock:
        allowed = versions.parse(f"= {lock}")
        said = f"the constraint {given} is locked at {lock}," if given else f"the lock file holds {lock},"
    concerned = [defect for defect in STOPPING if allowed.before(defect.fixed) and _uses(root, modules, defect)]
    if concerned:
        fixed = max(defect.fixed for defect in concerned)
        yield error(
            "PROVIDER_TOO_OLD",
            path,
            f"{said} {'' if lock else 'releases '}before {versions.shown(fixed)}: "
            + "; ".join(f"{defect.what}, fixed in {versions.shown(defect.fixed)}" for defect in concerned),
            f'version = ">= {versions.shown(fixed)}"' + ("; then terraform init -upgrade" if lock else ""),
        )
        return
    held = [defect for defect in KNOWN if not allowed.reaches(defect.fixed) and _uses(root, modules, defect)]
    if held:
        fixed = max(defect.fixed for defect in held)
        yield warning(
            "PROVIDER_TOO_OLD",
            path,
            f"{said} no release from {versions.shown(fixed)} on: " + "; ".join(defect.what for defect in held),
            f'version = ">= {versions.shown(fixed)}"',
        )


def _uses(root: Module, modules: Modules, defect: Defect) -> bool:
    concerned = resources(root, modules, *defect.kinds)
    return any(not defect.argument or defect.argument in block.body for block in concerned)


def _constraints(module: Module) -> Iterator[_Found]:
    for settings in module.settings:
        for required in blocks_in(settings, "required_providers"):
            for name, value in required.items():
                source, version = (
                    (value.get("source"), value.get("version")) if isinstance(value, dict) else ("", value)
                )
                known = str(literal(source) or name).rsplit("/", 1)[-1]
                if known == NAME and isinstance(literal(version), str):
                    yield _Found(module.at(f"required_providers.{name.strip(chr(34))}"), literal(version))
    for provider in module.named(f"provider.{NAME}"):
        version = literal(provider.body.get("version"))
        if isinstance(version, str):
            yield _Found(module.at(f"provider.{NAME}.version"), version)
