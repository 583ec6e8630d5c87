"""What the label compiler gives: labels with their reasons, what a driver leaves to us, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from magflow.findings import Finding
from magflow.rules.driver import Target


@dataclass(frozen=True)
class Label:
    """A label that is sent.

    Attributes:
        key: as Magnum writes it.
        value: as it is sent; Magnum's labels are strings.
        reason: why it is sent and why with this value, one sentence.
        source: where the driver reads it.
        path: key path of the settings that it comes from.
    """

    key: str
    value: str
    reason: str
    source: str
    path: str


@dataclass(frozen=True)
class Replaced:
    """Something that was asked for and that the driver does not do.

    Attributes:
        intent: what was asked for, in a few words.
        path: key path of the settings.
        stage: the stage of ours that takes its place; None when there is none.
        reason: why the driver does not do it, and what comes instead, one sentence.
    """

    intent: str
    path: str
    stage: str | None
    reason: str


@dataclass(frozen=True)
class Compiled:
    """The labels and template attributes of one cluster.

    Attributes:
        target: driver and release that they are for.
        labels: those of the template, and then the cluster's own, each with its reason.
        template: labels of the cluster template.
        own: labels of the cluster itself; None: it takes the template's.
        merge: whether Magnum adds `own` to the template's labels; else they take their place.
        effective: what the driver reads in the end.
        attributes: of the template beside the labels, those alone that the settings decide.
        replaced: what was asked for and the driver does not do.
        findings: what is wrong, or should be known.
    """

    target: Target
    labels: tuple[Label, ...]
    template: dict[str, str]
    own: dict[str, str] | None
    merge: bool
    effective: dict[str, str]
    attributes: dict[str, Any]
    replaced: tuple[Replaced, ...] = field(default=())
    findings: tuple[Finding, ...] = field(default=())
