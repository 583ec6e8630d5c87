"""Compiles what the settings ask for into Magnum's labels, exactly those that one driver and release read.

Labels that were given as they are (`extra_labels`, `own_labels`) are passed on and looked at. What the driver does not
do is listed with the stage of ours that takes its place.

Labels of the cluster itself. Magnum copies the template's labels onto a cluster that has none of its own
(magnum/api/controllers/v1/cluster.py, _post), and Terraform replaces a cluster whose labels change. magnum-capi-helm
reads the template's labels and lays the cluster's over them (driver.py, _label: mergeconcat). A copy would thus hide
every later change of the template: moving the cluster to a new template would leave its labels as they were. So under
magnum-capi-helm the cluster gets one label of its own, which that driver does not read (it asks for names that it
knows, and Magnum's API checks none). Under Heat and magnum-cluster-api, which read the cluster's labels alone, a label
of its own would take all of the template's away, and it gets none.

Labels and taints of Kubernetes nodes are no labels of Magnum. Its API takes them from 23.0.0 on (node_labels,
node_taints), no driver hands them on, and the stage node_pools sets them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from magflow.findings import Finding, error, warning
from magflow.rules.driver import Target, target
from magflow.rules.labels import check as label_check
from magflow.rules.labels.attributes import attributes
from magflow.rules.labels.draft import Draft
from magflow.rules.labels.intent import INTENTS
from magflow.rules.labels.model import Compiled, Label, Replaced
from magflow.rules.labels.standing import NAMES
from magflow.rules.labels.table import node_fields, table
from magflow.rules.releases import parse
from magflow.settings import Settings

__all__ = ["OWN", "Compiled", "Label", "Replaced", "compile", "compile_all"]

OWN = {"managed_by": "magflow"}
"""What keeps Magnum from copying the template's labels onto the cluster."""

MERGE_SINCE = parse("10.1.0")
"""First release whose API knows merge_labels (magnum/api/controllers/v1/cluster.py)."""


def compile(settings: Settings) -> Compiled:
    """The labels and template attributes of one cluster.

    Args:
        settings: of that cluster (`Settings.of_cluster`). Paths in the result are those of `cluster`;
            `compile_all` gives those of further clusters.
    """
    draft = Draft(settings, target(settings))
    for intent in INTENTS:
        intent(draft)
    attributes(draft)
    _nodes(draft)
    _extra(draft)
    template = {key: label.value for key, label in sorted(draft.labels.items())}
    own, merge = _own(draft, template)
    always_merged = draft.target.driver == "capi-helm"
    effective = template | (own or {}) if merge or always_merged or not own else dict(own)
    return Compiled(
        target=draft.target,
        labels=(*(draft.labels[key] for key in template), *_own_labels(own, draft)),
        template=template,
        own=own,
        merge=merge,
        effective=dict(sorted(effective.items())),
        attributes=draft.attributes,
        replaced=tuple(draft.replaced),
        findings=(*draft.target.findings, *draft.findings),
    )


def compile_all(settings: Settings) -> dict[str, Compiled]:
    """Every cluster of an environment, by name; with the paths that its values really stand at.

    A finding about a value that several clusters share is given once, with the first of them.

    Args:
        settings: of the environment.
    """
    seen: set[tuple[str, str, str]] = set()
    compiled: dict[str, Compiled] = {}
    for name in settings.cluster_names:
        one = compile(settings.of_cluster(name))
        if name != settings.cluster.name:
            one = replace(
                one,
                labels=tuple(replace(label, path=settings.path_of(name, label.path)) for label in one.labels),
                replaced=tuple(replace(item, path=settings.path_of(name, item.path)) for item in one.replaced),
                findings=tuple(replace(found, path=settings.path_of(name, found.path)) for found in one.findings),
            )
        new = [found for found in one.findings if (found.code, found.path, found.message) not in seen]
        seen |= {(found.code, found.path, found.message) for found in new}
        compiled[name] = replace(one, findings=tuple(new))
    return compiled


def _nodes(draft: Draft) -> None:
    """Labels and taints of nodes: a stage of ours, with every driver; nothing that a user need be warned of."""
    if any(group.labels or group.taints for group in draft.settings.node_groups.values()):
        honoured = [field.name for field in node_fields() if draft.target.driver in field.honoured_by]
        if not honoured:
            why = "no driver hands node_labels and node_taints (Magnum 23.0.0) on to the nodes"
            instead = "the stage node_pools sets and verifies them"
            draft.replaced.append(
                Replaced("labels and taints of nodes", "node_groups", "node_pools", f"{why}; {instead}")
            )


def _extra(draft: Draft) -> None:
    settings, given = draft.settings, draft.settings.cluster.extra_labels
    at = "cluster.extra_labels"
    draft.findings += label_check.check(given, at, draft.target, settings.image.os_distro, settings.cluster.server_type)
    for key, value in given.items():
        path, compiled = f"{at}.{key}", draft.labels.get(key)
        spec = table().get(key)
        if spec and spec.stage and not draft.reads(key) and value.lower() not in ("", "false"):
            driver = draft.target.driver
            why = f"label {key} is not read by {NAMES[driver]}; {label_check.place(spec, driver)}"
            draft.replaced.append(Replaced(spec.about.rstrip("."), path, spec.stage, why))
        if compiled and compiled.value != value:
            draft.findings.append(
                error(
                    "LABEL_CONFLICT",
                    path,
                    f"{key} is '{value}' here, and {compiled.path} asks for '{compiled.value}'",
                    f"leave one of them out; {compiled.path} is the better place",
                )
            )
        draft.labels[key] = Label(
            key, value, f"given in {at}{_beside(draft, key, value)}", _source(key, draft.target), path
        )


def _own(draft: Draft, template: dict[str, str]) -> tuple[dict[str, str] | None, bool]:
    """Labels of the cluster itself, and whether Magnum adds them to the template's."""
    settings, driver = draft.settings, draft.target.driver
    given, merge, at = settings.cluster.own_labels, settings.cluster.merge_labels, "cluster.own_labels"
    if not given:
        if driver != "capi-helm":
            return None, False
        # Magnum's API looks for it on the cluster when a flavor has no disk (attr_validator.py)
        size = {key: template[key] for key in ("boot_volume_size",) if key in template}
        return OWN | size, False
    own = dict(sorted(given.items()))
    image, kind = settings.image.os_distro, settings.cluster.server_type
    draft.findings += label_check.check(
        {key: value for key, value in own.items() if key not in OWN}, at, draft.target, image, kind
    )
    draft.findings += _taking_over(draft, template, own, merge)
    return own, merge and driver != "capi-helm"


def _taking_over(draft: Draft, template: dict[str, str], own: dict[str, str], merge: bool) -> Iterator[Finding]:
    """What becomes of the template's labels (magnum-cluster-api issue 449)."""
    driver, release = draft.target.driver, draft.target.release
    if driver == "capi-helm":
        if "capi_helm_chart_version" in own:
            yield warning(
                "LABEL_IGNORED",
                "cluster.own_labels.capi_helm_chart_version",
                "capi_helm_chart_version is read from the template alone",
                "move it to cluster.extra_labels",
            )
        return
    if merge and release and release < MERGE_SINCE:
        yield error(
            "LABEL_TOO_NEW",
            "cluster.merge_labels",
            f"merge_labels came with Magnum 10.1.0; the cloud has {release}",
            "put the labels into cluster.extra_labels",
        )
    lost = sorted(set(template) - set(own))
    if lost and not merge:
        yield error(
            "LABELS_REPLACED",
            "cluster.own_labels",
            f"the cluster's own labels take the place of the template's: {', '.join(lost)} would be lost",
            "set cluster.merge_labels to true, or put the labels into cluster.extra_labels",
        )


def _own_labels(own: dict[str, str] | None, draft: Draft) -> Iterator[Label]:
    given = draft.settings.cluster.own_labels or {}
    for key, value in (own or {}).items():
        if key in given:
            yield Label(
                key, value, "given in cluster.own_labels", _source(key, draft.target), f"cluster.own_labels.{key}"
            )
        else:
            reason = "keeps Magnum from copying the template's labels, which would hide later changes of the template"
            if key not in OWN:
                reason = "Magnum's API looks for it on the cluster itself"
            yield Label(key, value, reason, "magnum/api/controllers/v1/cluster.py", "cluster")


def _beside(draft: Draft, key: str, value: str) -> str:
    default = draft.default(key) if key in table() else None
    return f"; the driver's default is {default}" if default and default != value else ""


def _source(key: str, found: Target) -> str:
    spec = table().get(key)
    reader = spec.readers.get(found.driver) if spec else None
    return reader.source if reader else f"not read by {NAMES[found.driver]}"
