"""docs/compatibility.md: the table of versions that go together, for people."""

from __future__ import annotations

from magflow.rules.compatibility.data import Range, Rule, shown, table

WORDS = {
    "Magnum {magnum}": "that Magnum",
    "Kubernetes {kubernetes}": "that Kubernetes",
    "Fedora Atomic {os_version}": "it",
    "container_runtime is {container_runtime}": "container_runtime is not containerd",
    "{network_driver}": "other",
}
"""What a finding says of one cluster, in general."""


def page() -> str:
    """The page."""
    return "\n".join([*_head(), *_drivers(), *_kubernetes(), *_platform(), *_rules(), ""])


def _head() -> list[str]:
    return [
        "# What goes together",
        "",
        "`magflow check ENV --offline` holds the settings of every cluster against these tables",
        "(`src/magflow/data/compatibility.yml`), says why a combination does not hold, and names the nearest one.",
        "A limit is an error; what upstream did not test is a warning. What the settings do not tell is not looked at.",
        "Written by `nox -s docs`.",
        "",
    ]


def _drivers() -> list[str]:
    data = table()
    lines = ["## Drivers", "", "| driver | how far it was tried |", "|---|---|"]
    lines += [f"| {driver} | {words} |" for driver, words in data.support.items()]
    lines += ["", "Magnum chooses by (server_type, os_distro of the image, orchestrator):", ""]
    lines += ["| driver | its program | Magnum | serves | read in |", "|---|---|---|---|---|"]
    lines += [
        f"| {row.driver} | `{row.name}` | {span(row.magnum)} | "
        f"{', '.join(str(triple) for triple in row.serves)} | {row.source} |"
        for row in data.drivers
    ]
    return [*lines, ""]


def _kubernetes() -> list[str]:
    lines = ["## Kubernetes", "", "| driver | Magnum | Kubernetes | else | read in |", "|---|---|---|---|---|"]
    for row in table().kubernetes:
        versions = f"up to {shown(row.limit)}" if row.limit else span(row.tested) if row.tested else "any"
        lines.append(
            f"| {row.driver} | {span(row.magnum)} | {versions} | {'error' if row.limit else 'warning'} | {row.source} |"
        )
    return [*lines, ""]


def _platform() -> list[str]:
    data = table()
    lines = ["## What runs in the cluster", ""]
    lines += [
        f"The stages {', '.join(data.floor.stages)} need Kubernetes {shown(data.floor.kubernetes)} "
        f"({data.floor.source}).",
        "",
        "| training operator | Kubernetes | else | read in |",
        "|---|---|---|---|",
    ]
    lines += [f"| {span(row.versions)} | {span(row.tested)} | warning | {row.source} |" for row in data.operators]
    lines += ["", "| Kubeflow | Kubernetes | else | read in |", "|---|---|---|---|"]
    lines += [f"| {row.name} | {span(row.tested)} | warning | {row.source} |" for row in data.kubeflow]
    return [*lines, ""]


def _rules() -> list[str]:
    lines = [
        "## Rules",
        "",
        "| finding | where | has to hold | why, and what does | read in |",
        "|---|---|---|---|---|",
    ]
    return lines + [_rule(rule) for rule in table().rules]


def _rule(rule: Rule) -> str:
    when = ", ".join(f"{name} {_said(condition)}" for name, condition in rule.when.items())
    must = ", ".join(f"{name} {_said(condition)}" for name, condition in rule.must.items())
    why = rule.why
    for written, word in WORDS.items():
        why = why.replace(written, word)
    words = f"{why[0].upper()}{why[1:]}. Nearest: {rule.nearest}."
    return f"| {rule.code} ({rule.severity}) | {when} | {must} | {words} | {rule.source} |"


def _said(condition: Range | tuple[str | bool | None, ...]) -> str:
    if isinstance(condition, Range):
        return span(condition)
    words = {True: "on", False: "off", None: "unset"}
    return " or ".join(words[word] if word is None or isinstance(word, bool) else word for word in condition)


def span(range_: Range) -> str:
    """A range in words."""
    parts = []
    if range_.from_:
        parts.append(f"from {shown(range_.from_)}")
    if range_.below:
        parts.append(f"below {shown(range_.below)}")
    if range_.to:
        parts.append(f"to {shown(range_.to)}")
    return " ".join(parts)
