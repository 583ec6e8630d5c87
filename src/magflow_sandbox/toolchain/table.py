"""The table of tools (toolchain.toml) as typed records."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

TABLE = Path(__file__).with_name("toolchain.toml")
Kind = Literal["go", "data", "venv", "debian"]
Tier = Literal["unit", "demo", "full"]
TIERS: tuple[Tier, ...] = get_args(Tier)


@dataclass(frozen=True)
class Found:
    """How a program in PATH is recognised: the arguments that make it print its version, and which versions will do."""

    arguments: tuple[str, ...]
    least: str | None = None
    exact: bool = False
    also: tuple[str, ...] = ()  # other programs that serve as well, preferred


@dataclass(frozen=True)
class Tool:
    """One external tool."""

    name: str
    kind: Kind
    version: str
    tier: Tier
    minutes: int
    module: str = ""
    staging: str | None = None
    ldflags: str = ""
    programs: dict[str, str] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    requirements: str = ""
    found: Found | None = None

    @property
    def label(self) -> str:
        """Name and version, as the folders in the cache are named."""
        return f"{self.name}-{self.version}"


def load(path: Path = TABLE) -> dict[str, Tool]:
    """Read the table.

    Raises:
        ValueError: a tool has an unknown kind or tier, or no programs, data, packages or requirements.
    """
    return {name: _tool(name, dict(raw)) for name, raw in tomllib.loads(path.read_text()).items()}


def within(tools: dict[str, Tool], tier: Tier) -> list[Tool]:
    """The tools that a tier needs, in the table's order."""
    return [tool for tool in tools.values() if TIERS.index(tool.tier) <= TIERS.index(tier)]


def itself(tool: Tool) -> Tool:
    """The tool without the others that serve as well: tests want OpenTofu beside Terraform."""
    return replace(tool, found=replace(tool.found, also=())) if tool.found else tool


def _tool(name: str, raw: dict[str, Any]) -> Tool:
    found = raw.pop("found", None)
    if found is not None:
        raw["found"] = Found(**_tuples(found))
    tool = Tool(name=name, **_tuples(raw))
    if tool.kind not in get_args(Kind) or tool.tier not in TIERS:
        raise ValueError(f"{name}: unknown kind or tier")
    if not (tool.programs or tool.data or tool.packages or tool.requirements):
        raise ValueError(f"{name}: makes nothing")
    return tool


def _tuples(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}
