"""Which versions go together: Magnum, its driver, the image, Kubernetes, what runs in it. The facts are a table
(data/compatibility.yml); each finding says why a combination does not hold and names the nearest that does.
"""

from __future__ import annotations

from collections.abc import Mapping

from magflow.findings import Finding, error, warning
from magflow.rules.compatibility.data import (
    Condition,
    KubernetesRow,
    Range,
    ReleaseRow,
    Rule,
    Version,
    shown,
    table,
    version,
)
from magflow.rules.labels.model import Compiled
from magflow.settings import Settings
from magflow.settings.base import Driver

Situation = Mapping[str, Version | str | bool | None]
"""What a rule may ask for, by its name in the table; None: not told."""


def check(settings: Settings, compiled: Compiled, *, platform: bool = True) -> list[Finding]:
    """Every combination of one cluster's settings that does not hold.

    Args:
        settings: of one cluster (`Settings.of_cluster`).
        compiled: its labels.
        platform: whether the stages after `cluster` reach it: they do the environment's first one alone.
    """
    now = situation(settings, compiled)
    found = [finding for rule in table().rules if (finding := _broken(rule, now))]
    found += _kubernetes(settings, compiled)
    return [*found, *_floor(settings), *_operator(settings), *_kubeflow(settings)] if platform else found


def support(driver: Driver) -> str:
    """How much of a driver was tried, in a few words."""
    return table().support[driver]


def situation(settings: Settings, compiled: Compiled) -> Situation:
    """What the rules look at.

    Args:
        settings: of one cluster.
        compiled: its labels; driver and release come from there.
    """
    # what the cluster's own labels push out of the template's is told by the labels' rules, not again by these
    labels, target = compiled.template | (compiled.own or {}), compiled.target
    return {
        "driver": target.driver,
        "magnum": target.release.version if target.release else None,
        "server_type": settings.cluster.server_type,
        "os_distro": settings.image.os_distro,
        "os_version": _version(settings.image.os_version),
        "kubernetes": version(settings.cluster.kubernetes),
        "network_driver": settings.network.driver,
        "ingress": labels.get("ingress_controller") or settings.ingress.controller,
        "monitoring": settings.monitoring.enabled or _true(labels.get("monitoring_enabled")),
        "tiller": settings.cluster.tiller is not None or _true(labels.get("tiller_enabled")),
        "helm_client": _version(labels.get("helm_client_tag")),
        "container_runtime": labels.get("container_runtime"),
    }


def _true(text: str | None) -> bool:
    return (text or "").lower() == "true"


def _version(text: str | None) -> Version | None:
    try:
        return version(text) if text else None
    except ValueError:
        return None


def _broken(rule: Rule, now: Situation) -> Finding | None:
    if not all(_holds(condition, now[name]) for name, condition in rule.when.items()):
        return None
    # what is not told cannot be said to be wrong
    if all(
        _holds(condition, now[name]) or (isinstance(condition, Range) and now[name] is None)
        for name, condition in rule.must.items()
    ):
        return None
    words = {name: _said(value) for name, value in now.items()}
    make = error if rule.severity == "error" else warning
    return make(rule.code, rule.path, rule.why.format(**words), f"nearest: {rule.nearest}")


def _holds(condition: Condition, value: Version | str | bool | None) -> bool:
    if isinstance(condition, Range):
        return isinstance(value, tuple) and condition.holds(value)
    return value in condition


def _said(value: Version | str | bool | None) -> str:
    if isinstance(value, tuple):
        return shown(value)
    return "not set" if value is None else str(value)


def _kubernetes(settings: Settings, compiled: Compiled) -> list[Finding]:
    target, wanted = compiled.target, version(settings.cluster.kubernetes)
    if target.release is None or settings.cluster.server_type == "bm":
        return []
    row = _row(target.driver, target.release.version)
    if row is None:
        return []
    magnum, near = f"Magnum {target.release}", _nearest(target.driver, wanted, row)
    if row.limit and wanted[:2] > row.limit:
        what = f"{magnum} makes Kubernetes up to v{shown(row.limit)}, not {settings.cluster.kubernetes} ({row.source})"
        return [error("KUBERNETES_TOO_NEW", "cluster.kubernetes", what, near)]
    if row.tested and not row.tested.holds(wanted):
        what = f"{magnum} with {target.driver} was tested with {_span(row.tested)}, not {settings.cluster.kubernetes}"
        return [warning("KUBERNETES_UNTESTED", "cluster.kubernetes", f"{what} ({row.source})", near)]
    return []


def _row(driver: Driver, release: Version) -> KubernetesRow | None:
    rows = (row for row in table().kubernetes if row.driver == driver and row.magnum.holds(release))
    return next(rows, None)


def _nearest(driver: Driver, wanted: Version, row: KubernetesRow) -> str:
    """The nearest version with this release, and the nearest release with this version."""
    least = row.tested.from_ if row.tested else None
    own = least if least and wanted < least else row.newest
    said = f"nearest: Kubernetes v{shown(own)} with this release"
    others = [other for other in table().kubernetes if other.newest and wanted[:2] <= other.newest and other is not row]
    same = [other for other in others if other.driver == driver]
    if wanted[:2] > (row.newest or wanted) and (same or others):
        other = (same or others)[0]
        said += f", or v{shown(wanted[:2])} with Magnum {shown(other.magnum.from_)} ({other.driver})"
    return said


def _span(range_: Range) -> str:
    if range_.from_:
        return f"v{shown(range_.from_)} " + (f"to v{shown(range_.to)}" if range_.to else "and newer")
    return f"Kubernetes up to v{shown(range_.to)}"


def _floor(settings: Settings) -> list[Finding]:
    floor = table().floor
    if version(settings.cluster.kubernetes) >= floor.kubernetes:
        return []
    first = next(row for row in table().kubernetes if row.newest and row.newest >= floor.kubernetes)
    least = f"v{shown(floor.kubernetes)}"
    return [
        error(
            "KUBERNETES_BELOW_FLOOR",
            f"stages.{stage}",
            f"the stage {stage} is on, but Kubernetes {settings.cluster.kubernetes} is below {least}, the least that "
            f"it works with ({floor.source})",
            f"switch the stage off; nearest combination that has it: Kubernetes {least} with Magnum "
            f"{shown(first.magnum.from_)} ({first.driver})",
        )
        for stage in floor.stages
        if getattr(settings.stages, stage)
    ]


def _operator(settings: Settings) -> list[Finding]:
    if not settings.stages.training_operator:
        return []
    return _tried("TRAINING_OPERATOR", "training.operator", settings.training.operator, table().operators, settings)


def _kubeflow(settings: Settings) -> list[Finding]:
    release = settings.kubeflow.release
    return _tried("KUBEFLOW", "kubeflow.release", release, table().kubeflow, settings) if release else []


def _tried(what: str, path: str, given: str, rows: tuple[ReleaseRow, ...], settings: Settings) -> list[Finding]:
    """A warning when a release was not tried with the cluster's Kubernetes; below the floor that alone is told."""
    wanted, release = version(settings.cluster.kubernetes), version(given)
    row = next((row for row in rows if row.versions.holds(release)), None)
    if wanted < table().floor.kubernetes or row is None or row.tested.holds(wanted):
        return []
    other = next((other for other in reversed(rows) if other.tested.holds(wanted)), None)
    nearest = row.tested.from_ if row.tested.from_ and wanted < row.tested.from_ else row.tested.to
    hint = f"nearest: {other.name}" if other else f"nearest: Kubernetes v{shown(nearest)}"
    words = what.lower().replace("_", " ")
    message = f"{words} {given} was tried with {_span(row.tested)}, not {settings.cluster.kubernetes} ({row.source})"
    return [warning(f"{what}_UNTESTED", path, message, hint)]
