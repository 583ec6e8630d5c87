"""The table of Magnum's labels (data/magnum-labels.yml): which driver reads what, from which release to which."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

import yaml

from magflow.rules.releases import SERIES, Release, Version
from magflow.settings.base import Driver

DRIVERS: tuple[Driver, ...] = ("heat", "capi-helm", "cluster-api")
HEAT_LAST = 22
"""Magnum's last series with drivers on Heat."""


@dataclass(frozen=True)
class Reader:
    """How one driver reads one label.

    Attributes:
        first: text of the driver's first release with it; of Magnum for heat; None: all that were read.
        last: Magnum's last series with it; only for heat.
        missing: releases of Magnum in between without it.
        default: what the driver takes without it, from each release on; empty: nothing, or it is computed.
        pattern: what a value must look like.
        refused_by: os_distro whose stack has no such parameter: Heat refuses to make it.
        ignored_by: os_distro on which nothing comes of it.
        bare_metal: whether the driver of server_type bm has it; only for heat.
        deprecated: since which release.
        successor: the label to use then.
        note: what else should be known.
        source: where it is read.
    """

    first: str | None
    last: int | None
    missing: frozenset[Version]
    default: tuple[tuple[Version, str | None], ...]
    pattern: re.Pattern[str] | None
    refused_by: frozenset[str]
    ignored_by: frozenset[str]
    bare_metal: bool
    deprecated: str | None
    successor: str | None
    note: str
    source: str

    def default_of(self, release: Release | None) -> str | None:
        """What the driver takes without the label; None: nothing, or it is computed.

        Args:
            release: of Magnum; None: the newest that has the driver.
        """
        points = [value for version, value in self.default if release is None or version <= release.version]
        return points[-1] if points else None


@dataclass(frozen=True)
class Spec:
    """One label.

    Attributes:
        key: as Magnum writes it.
        about: what it is, one sentence.
        type: bool, int, string, tag, version, cidr, cidrs or enum.
        values: of an enum.
        secret: its value is never shown.
        stage: the stage of ours that takes its place where a driver does not read it.
        elsewhere: drivers that do not read it, and what says it to them.
        unread: why no driver reads it; None: at least one does.
        instead: the label that does what was meant.
        readers: by driver.
    """

    key: str
    about: str
    type: str
    values: tuple[str, ...]
    secret: bool
    stage: str | None
    elsewhere: Mapping[Driver, str]
    unread: str | None
    instead: str | None
    readers: Mapping[Driver, Reader]


@dataclass(frozen=True)
class NodeField:
    """A field of a node group in Magnum's API that is about Kubernetes nodes.

    Attributes:
        name: as the API writes it.
        about: what it is.
        first: Magnum's first release with it.
        microversion: of the API.
        honoured_by: drivers that hand it on to the nodes.
    """

    name: str
    about: str
    first: str
    microversion: str
    honoured_by: tuple[Driver, ...]


def version(text: str) -> Version:
    """Three numbers of a version's text; a series alone stands for its first release."""
    numbers = [int(part) for part in text.split(".")]
    return cast("Version", tuple([*numbers, 0, 0][:3]))


def series_after(last: int) -> str:
    """The release in which something was gone that series `last` still had."""
    return f"{last + 1}.0.0"


@cache
def table() -> dict[str, Spec]:
    """Every label by its key."""
    raw = _raw()
    bare_metal = frozenset(raw["drivers"]["heat"]["bm_labels"])
    return {key: _spec(key, value, key in bare_metal) for key, value in raw["labels"].items()}


@cache
def node_fields() -> tuple[NodeField, ...]:
    """What Magnum's API takes for Kubernetes nodes, beside labels."""
    return tuple(
        NodeField(name, value["about"], value["first"], value["microversion"], tuple(value["honoured_by"]))
        for name, value in _raw()["node_fields"].items()
    )


@cache
def drivers() -> dict[Driver, str]:
    """What was read of each driver, in words."""
    first, last = (f"{number} ({SERIES[int(number)][0].capitalize()})" for number in ("7", str(HEAT_LAST)))
    words = {key: f"{value['title']} {value.get('read', '')}".strip() for key, value in _raw()["drivers"].items()}
    return cast("dict[Driver, str]", words | {"heat": f"{words['heat']}, Magnum {first} to {last}"})


def near(key: str, driver: Driver) -> str | None:
    """The label that was probably meant; first among those of the driver."""
    own = [name for name, spec in table().items() if driver in spec.readers]
    for names in (own, list(table())):
        if found := difflib.get_close_matches(key, names, n=1, cutoff=0.75):
            return found[0]
    return None


@cache
def _raw() -> dict[str, Any]:
    text = (resources.files("magflow") / "data" / "magnum-labels.yml").read_text(encoding="utf-8")
    # the C loader is ten times as fast; both are safe
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return cast("dict[str, Any]", yaml.load(text, Loader=loader))  # noqa: S506 - a safe loader


def _spec(key: str, value: dict[str, Any], bare_metal: bool) -> Spec:
    return Spec(
        key=key,
        about=value["about"],
        type=value["type"],
        values=tuple(value.get("values", ())),
        secret=value.get("secret", False),
        stage=value.get("stage"),
        elsewhere=value.get("elsewhere", {}),
        unread=value.get("unread"),
        instead=value.get("instead"),
        readers={driver: _reader(driver, value[driver], bare_metal) for driver in DRIVERS if driver in value},
    )


def _reader(driver: Driver, value: dict[str, Any], bare_metal: bool) -> Reader:
    default = value.get("default", {})
    points = default if isinstance(default, dict) else {"0": default}
    return Reader(
        first=value.get("first"),
        last=value.get("last", HEAT_LAST) if driver == "heat" else None,
        missing=frozenset(version(text) for text in value.get("missing", ())),
        default=tuple((version(point), text) for point, text in points.items()),
        pattern=re.compile(value["pattern"]) if "pattern" in value else None,
        refused_by=frozenset(value.get("refused_by", ())),
        ignored_by=frozenset(value.get("ignored_by", ())),
        bare_metal=bare_metal and driver == "heat",
        deprecated=value.get("deprecated"),
        successor=value.get("successor"),
        note=value.get("note", ""),
        source=value["source"],
    )
