"""Looks at labels that were given as they are: known, read by this driver and release, well typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_network

from magflow.findings import Finding, error, warning
from magflow.rules.driver import Target
from magflow.rules.labels.standing import Standing, judge
from magflow.rules.labels.table import Reader, Spec, near, table
from magflow.settings import Stages
from magflow.settings.base import Driver

VERSION = re.compile(r"^v\d+\.\d+\.\d+(-[A-Za-z0-9.-]+)?$")
TAG = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$")

TRUE_OR_FALSE = frozenset({"true", "false"})
WORDS = frozenset({"1", "t", "on", "y", "yes", "0", "f", "off", "n", "no"})
"""What oslo.utils takes for true and false beside these words."""

STRIPPED = re.compile(r"[^a-zA-Z0-9.\-/ _]")
"""What magnum-capi-helm takes out of a value (driver.py, _label)."""

WHOLE = frozenset({"api_master_lb_allowed_cidrs", "capi_helm_chart_version"})
"""Labels that magnum-capi-helm reads in another way, which keeps what they need."""


def check(
    labels: dict[str, str], at: str, target: Target, os_distro: str | None = None, server_type: str = "vm"
) -> Iterator[Finding]:
    """What is wrong with labels that were given.

    Args:
        labels: key and value.
        at: key path of the settings that they stand at.
        target: driver and release that would read them.
        os_distro: property of the image; None: not told.
        server_type: the template's word for its machines.
    """
    for key, value in labels.items():
        path, spec = f"{at}.{key}", table().get(key)
        if spec is None:
            yield _unknown(key, path, target.driver)
            continue
        verdict = judge(spec, target, os_distro, server_type)
        if verdict.standing is not Standing.READ:
            yield unread(spec, path, verdict.standing, verdict.why, target.driver)
            continue
        if verdict.reader:
            yield from _read(spec, verdict.reader, value, path, target)


def unread(spec: Spec, path: str, standing: Standing, why: str, driver: Driver) -> Finding:
    """The finding for a label that this driver and release do not read."""
    match standing:
        case Standing.TOO_NEW:
            return error("LABEL_TOO_NEW", path, f"{spec.key} {why}", "leave it out, or upgrade Magnum")
        case Standing.REFUSED:
            return error("LABEL_REFUSED", path, f"{spec.key} {why}", "leave it out")
        case Standing.REMOVED:
            said = f"{spec.key} does nothing: {'it ' if not spec.unread else ''}{why}"
            return warning("LABEL_INERT", path, said, instead(spec, driver))
        case _:
            return warning("LABEL_IGNORED", path, f"{spec.key} {why}", instead(spec, driver))


def instead(spec: Spec, driver: Driver) -> str:
    """What to do in place of a label that a driver does not read."""
    better = [spec.instead, *(reader.successor for reader in spec.readers.values())]
    for name in better:
        if name and driver in table()[name].readers:
            return f"use {name}"
    return f"leave it out; {place(spec, driver)}"


def place(spec: Spec, driver: Driver) -> str:
    """What takes the place of a label that a driver does not read."""
    if driver in spec.elsewhere:
        return spec.elsewhere[driver]
    if spec.stage is None:
        return "nothing takes its place"
    if spec.stage in Stages.model_fields:
        return f"the stage {spec.stage} takes its place"
    return "install it in the cluster yourself"


def _unknown(key: str, path: str, driver: Driver) -> Finding:
    meant = near(key, driver)
    return error(
        "LABEL_UNKNOWN",
        path,
        f"no driver of Magnum reads a label '{key}'" + (f"; did you mean '{meant}'?" if meant else ""),
        f"write {meant}" if meant else "leave it out; docs/labels.md has all labels",
    )


def _read(spec: Spec, reader: Reader, value: str, path: str, target: Target) -> Iterator[Finding]:
    if reader.deprecated and (
        target.driver != "heat" or target.release is None or target.release.version >= _since(reader)
    ):
        yield warning(
            "LABEL_DEPRECATED",
            path,
            f"{spec.key} is deprecated since {reader.deprecated}; its successor is {reader.successor}",
            f"use {reader.successor}",
        )
    shown = "its value" if spec.secret else f"'{value}'"
    wrong = _mistake(spec, reader, value, target.driver)
    if wrong:
        code, what = wrong
        yield error(code, path, f"{spec.key} is {shown}; {what}", "mend the value")
    elif target.driver == "capi-helm" and spec.key not in WHOLE and STRIPPED.search(value):
        taken = "" if spec.secret else f" and would read '{STRIPPED.sub('', value)}'"
        yield error(
            "LABEL_VALUE",
            path,
            f"{spec.key} is {shown}; magnum-capi-helm takes letters, digits and . - / _ alone{taken}",
            "mend the value",
        )


def _since(reader: Reader) -> tuple[int, ...]:
    return tuple(int(part) for part in (reader.deprecated or "0").split("."))


def _mistake(spec: Spec, reader: Reader, value: str, driver: Driver) -> tuple[str, str] | None:
    """Code and sentence of what is wrong with a value."""
    match spec.type:
        case "bool":
            return _bool(value, driver)
        case "int":
            return None if value.isdecimal() else ("LABEL_TYPE", "a whole number is wanted")
        case "version":
            # the shape of kube_tag is told with the image that it has to fit
            return None
        case "tag":
            return None if not value or TAG.match(value) else ("LABEL_TYPE", "a tag of an image is wanted")
        case "cidr" | "cidrs":
            return None if _ranges(value) else ("LABEL_TYPE", "a range is written like 10.0.0.0/24")
        case "enum":
            known = ", ".join(spec.values)
            return None if value in spec.values or _same(value, spec, driver) else ("LABEL_VALUE", f"known are {known}")
        case _:
            if reader.pattern and not reader.pattern.fullmatch(value):
                return "LABEL_VALUE", reader.note.rstrip(".") or f"wanted is {reader.pattern.pattern}"
            return None


def _bool(value: str, driver: Driver) -> tuple[str, str] | None:
    word = value.lower()
    if word in TRUE_OR_FALSE or (driver != "heat" and word in WORDS):
        return None
    if word in WORDS:
        # Heat takes the word for a boolean, and the scripts on the nodes compare it with "true"
        return "LABEL_TYPE", "the scripts on the nodes know true and false alone"
    return "LABEL_TYPE", "true or false is wanted"


def _same(value: str, spec: Spec, driver: Driver) -> bool:
    # ingress_controller and auto_healing_controller are compared in lower case (k8s_template_def.py, the fragments)
    return driver == "heat" and value.lower() in spec.values and spec.key.endswith("_controller")


def _ranges(value: str) -> bool:
    try:
        for part in value.split(","):
            ip_network(part.strip(), strict=False)
    except ValueError:
        return value == ""
    return True
