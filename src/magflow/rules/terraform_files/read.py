"""Reads Terraform files into modules: `.tf`, OpenTofu's `.tofu`, and both in JSON. Nothing is evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hcl2
from lark.exceptions import LarkError

from magflow.errors import CannotTell

SUFFIXES = (".tf", ".tofu", ".tf.json", ".tofu.json")
LOCK = ".terraform.lock.hcl"
_OPTIONS = hcl2.SerializationOptions(with_comments=False)
_HEREDOC = re.compile(r"^<<-?(\w+)\n(.*)\n\s*\1$", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A resource, data source, output, local value, module call or provider.

    Attributes:
        address: as in an expression, such as `module.workers` or `output.kubeconfig`.
        kind: the resource's type; empty for what is none.
        body: its arguments as python-hcl2 gives them: `"text"` in quotes, `${...}` for an expression.
        file: the file that it is in.
    """

    address: str
    kind: str
    body: Mapping[str, Any]
    file: Path

    @property
    def text(self) -> str:
        """All of its expressions, to look for references in."""
        return text(self.body)


@dataclass
class Module:
    """The files of one folder.

    Attributes:
        folder: where it lies.
        name: the folder, from the one that was asked for; empty for that one.
        blocks: everything that has an address, by address.
        calls: local modules that it calls, by address: the folder and the block.
        settings: the bodies of its `terraform` blocks.
    """

    folder: Path
    name: str
    blocks: dict[str, Block] = field(default_factory=dict)
    calls: dict[str, tuple[Path, Block]] = field(default_factory=dict)
    settings: list[Mapping[str, Any]] = field(default_factory=list)

    def of(self, *kinds: str) -> list[Block]:
        """The resources of some types."""
        return [block for block in self.blocks.values() if block.kind in kinds]

    def named(self, prefix: str) -> list[Block]:
        """What has an address that begins with a word, such as `output.`."""
        return [block for address, block in self.blocks.items() if address.startswith(prefix)]

    def at(self, path: str) -> str:
        """A path of this module for a finding."""
        return f"{self.name}: {path}" if self.name else path


def read(folder: Path) -> dict[Path, Module]:
    """The modules in a folder and in all below it, by resolved folder; what begins with a dot is passed over.

    Raises:
        CannotTell: there is no such folder, no file in it, or one that is no HCL.
    """
    if not folder.is_dir():
        raise CannotTell("there is no such folder", where=str(folder))
    modules: dict[Path, Module] = {}
    for file in sorted(file for file in folder.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file()):
        inner = file.relative_to(folder)
        if not any(part.startswith(".") for part in inner.parts):
            module = modules.setdefault(file.parent.resolve(), Module(file.parent, _name(inner.parent)))
            _take(module, file, _parsed(file))
    if not modules:
        raise CannotTell("there is no Terraform file", where=str(folder), hint="name a folder with .tf files")
    return modules


def locked(folder: Path, provider: str) -> str | None:
    """The release of a provider in a folder's lock file; None without one."""
    file = folder / LOCK
    if not file.is_file():
        return None
    for entry in _parsed(file).get("provider") or []:
        for source, body in entry.items():
            if source.strip('"').endswith(f"/{provider}"):
                return str(literal(body.get("version")))
    return None


def literal(value: Any) -> Any:
    """The value when it is written out; None for an expression."""
    if not isinstance(value, str):
        return value if isinstance(value, bool | int | float) else None
    if value.startswith('"') and not re.search(r"[$%]\{", value):
        inner = value[1:-1]
        heredoc = _HEREDOC.match(inner)
        return heredoc[2] if heredoc else inner
    return None


def text(value: Any) -> str:
    """Every string in a value, one a line."""
    return "\n".join(_strings(value))


def blocks_in(body: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The nested blocks of a name; an object is one, as in JSON."""
    found = body.get(name) or []
    return [item for item in (found if isinstance(found, list) else [found]) if isinstance(item, Mapping)]


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for key, item in value.items():
                yield key
                yield from _strings(item)
        case list():
            for item in value:
                yield from _strings(item)


def _name(folder: Path) -> str:
    return "" if folder == Path() else folder.as_posix()


def _parsed(file: Path) -> dict[str, Any]:
    try:
        content = file.read_text(encoding="utf-8-sig")
        return (
            _quoted(json.loads(content))
            if file.name.endswith(".json")
            else hcl2.loads(content + "\n", serialization_options=_OPTIONS)
        )
    except LarkError as error:
        line = getattr(error, "line", None)
        found = str(error).splitlines()[0] if str(error) else "no HCL"
        where = f"{file}:{line}" if line and line > 0 else str(file)
        raise CannotTell(f"cannot read the file as HCL: {found}", where=where, hint="terraform validate") from None
    except (OSError, ValueError) as error:
        raise CannotTell(f"cannot read the file: {error}", where=str(file)) from None


def _quoted(value: Any) -> Any:
    """JSON syntax in the words of python-hcl2: text in quotes."""
    match value:
        case str():
            return f'"{value}"'
        case dict():
            return {key: _quoted(item) for key, item in value.items() if key != "//"}
        case list():
            return [_quoted(item) for item in value]
    return value


def _take(module: Module, file: Path, content: Mapping[str, Any]) -> None:
    module.settings += blocks_in(content, "terraform")
    for kind, prefix in (("resource", ""), ("data", "data.")):
        for entry in blocks_in(content, kind):
            for type_, named in entry.items():
                for name, body in _labelled(named):
                    _add(module, f"{prefix}{_bare(type_)}.{name}", prefix + _bare(type_), body, file)
    for kind in ("output", "variable", "provider", "module"):
        for entry in blocks_in(content, kind):
            for name, body in _labelled(entry):
                block = _add(module, f"{kind}.{name}", "", body, file)
                source = literal(body.get("source"))
                if kind == "module" and isinstance(source, str) and source.startswith("."):
                    module.calls[block.address] = ((module.folder / source).resolve(), block)
    for entry in blocks_in(content, "locals"):
        for name, value in entry.items():
            _add(module, f"local.{name}", "", {"value": value}, file)


def _labelled(entry: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, bodies in entry.items() if isinstance(entry, Mapping) else ():
        for body in bodies if isinstance(bodies, list) else [bodies]:
            if isinstance(body, Mapping):
                yield _bare(name), body


def _bare(label: str) -> str:
    return label.strip('"')


def _add(module: Module, address: str, kind: str, body: Mapping[str, Any], file: Path) -> Block:
    block = Block(address, kind, body, file)
    module.blocks[address] = block
    return block
