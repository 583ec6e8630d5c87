"""How one label stands with one driver and release: read, not yet, no more, or never."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from magflow.rules.driver import Target
from magflow.rules.labels.table import HEAT_LAST, Reader, Spec, series_after, version
from magflow.settings.base import Driver


class Standing(StrEnum):
    """Whether a driver reads a label."""

    READ = "read"
    TOO_NEW = "too new"
    REMOVED = "removed"
    IGNORED = "ignored"
    REFUSED = "refused"


@dataclass(frozen=True)
class Verdict:
    """How a label stands, and why.

    Attributes:
        standing: whether the driver reads it.
        why: a sentence without its subject; empty when it is read.
        reader: how the driver reads it, when it does at some release.
    """

    standing: Standing
    why: str = ""
    reader: Reader | None = None


NAMES: dict[Driver, str] = {
    "heat": "Magnum's driver on Heat",
    "capi-helm": "magnum-capi-helm",
    "cluster-api": "magnum-cluster-api",
}
"""The drivers as people call them."""


def judge(spec: Spec, target: Target, os_distro: str | None = None, server_type: str = "vm") -> Verdict:
    """How a label stands.

    Args:
        spec: the label.
        target: driver and release. A release that is not known is taken to be the newest that has the driver.
        os_distro: property of the image; None: not told.
        server_type: the template's word for its machines.
    """
    reader = spec.readers.get(target.driver)
    if spec.unread:
        return Verdict(Standing.REMOVED, spec.unread)
    if reader is None:
        return _unread(spec, target)
    if target.driver != "heat" or target.release is None:
        return Verdict(Standing.READ, reader=reader)
    release = target.release
    if (reader.first and release.version < version(reader.first)) or release.version in reader.missing:
        return Verdict(Standing.TOO_NEW, f"came with Magnum {reader.first}; the cloud has {release}", reader)
    if reader.last and release.major > reader.last:
        return Verdict(Standing.REMOVED, f"was removed in {series_after(reader.last)}; the cloud has {release}", reader)
    if server_type == "bm" and not reader.bare_metal:
        return Verdict(Standing.REFUSED, "is no parameter of the stack of server_type bm: Heat refuses it", reader)
    if os_distro in reader.refused_by:
        return Verdict(Standing.REFUSED, f"is no parameter of the stack of {os_distro}: Heat refuses it", reader)
    if os_distro in reader.ignored_by:
        return Verdict(Standing.IGNORED, f"has no effect on {os_distro}", reader)
    return Verdict(Standing.READ, reader=reader)


def _unread(spec: Spec, target: Target) -> Verdict:
    heat = spec.readers.get("heat")
    who = NAMES[target.driver]
    if heat and heat.last and heat.last < HEAT_LAST:
        return Verdict(
            Standing.REMOVED, f"is not read by {who}, and was removed in {series_after(heat.last)} from Magnum's own"
        )
    return Verdict(Standing.IGNORED, f"is not read by {who}")
