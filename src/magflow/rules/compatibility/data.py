"""The table of versions that go together, data/compatibility.yml, as a strict model."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field

from magflow.settings.base import Driver, Strict

Version = tuple[int, ...]
"""A version's numbers, in order: (1, 36, 3)."""


def version(text: str) -> Version:
    """The numbers at the start of a version: v1.28.9-rancher1 is (1, 28, 9).

    Raises:
        ValueError: there is no number.
    """
    found = re.match(r"^v?(\d+(?:\.\d+)*)", text)
    if not found:
        raise ValueError(f"'{text}' does not start with a version")
    return tuple(int(number) for number in found[1].split("."))


def shown(value: Version | None) -> str:
    """A version for people; Kubernetes' own carry a v, which the caller adds."""
    return "unknown" if value is None else ".".join(map(str, value))


Parsed = Annotated[Version, BeforeValidator(lambda text: version(str(text)))]


class Range(Strict):
    """Versions from one (with it) below another (without it), or to the last of a minor version."""

    from_: Parsed | None = Field(None, alias="from")
    below: Parsed | None = None
    to: Parsed | None = None

    def holds(self, value: Version) -> bool:
        """Whether the version lies in the range."""
        return not self.is_above(value) and not (self.from_ and value < self.from_)

    def is_above(self, value: Version) -> bool:
        """Whether the version is newer than all of the range."""
        return bool((self.below and value >= self.below) or (self.to and value[: len(self.to)] > self.to))


Words = tuple[str | bool | None, ...]
Condition = Range | Words


class Triple(Strict):
    """What a driver serves; the orchestrator is always kubernetes."""

    server_type: Literal["vm", "bm"]
    os_distro: str

    def __str__(self) -> str:
        return f"({self.server_type}, {self.os_distro}, kubernetes)"


class DriverRow(Strict):
    """A driver's program and the clusters that Magnum gives to it."""

    name: str
    driver: Driver
    magnum: Range
    serves: tuple[Triple, ...]
    source: str


class KubernetesRow(Strict):
    """Which Kubernetes a release of Magnum and a driver make."""

    driver: Driver
    magnum: Range
    limit: Parsed | None = None
    tested: Range | None = None
    source: str

    @property
    def newest(self) -> Version | None:
        """The newest minor version that is said to work."""
        return self.limit or (self.tested.to if self.tested else None)


class Floor(Strict):
    """The least Kubernetes of the stages that work inside the cluster."""

    kubernetes: Parsed
    stages: tuple[str, ...]
    source: str


class ReleaseRow(Strict):
    """The Kubernetes that releases of something in the cluster were tried with; `name` is the one to take."""

    name: str
    versions: Range
    tested: Range
    source: str


class Rule(Strict):
    """Where all of `when` holds, all of `must` has to."""

    code: str
    path: str
    severity: Literal["error", "warning"] = "error"
    when: dict[str, Condition]
    must: dict[str, Condition]
    why: str
    nearest: str
    source: str


class RangesRow(Strict):
    """A driver's own ranges of pods and services."""

    driver: Driver
    magnum: Range | None = None
    network_driver: str | None = None
    pods: str
    services: str


class Table(Strict):
    """All of data/compatibility.yml."""

    drivers: tuple[DriverRow, ...]
    support: dict[Driver, str]
    kubernetes: tuple[KubernetesRow, ...]
    floor: Floor
    operators: tuple[ReleaseRow, ...]
    kubeflow: tuple[ReleaseRow, ...]
    rules: tuple[Rule, ...]
    ranges: tuple[RangesRow, ...]


@cache
def table() -> Table:
    """The table, read once."""
    text = (resources.files("magflow") / "data" / "compatibility.yml").read_text(encoding="utf-8")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return Table.model_validate(yaml.load(text, Loader=loader))  # noqa: S506 - both loaders are safe ones
