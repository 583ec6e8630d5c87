"""`magflow labels`: what Magnum's driver will read, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from magflow.cli.shared import Env, Json, screen

if TYPE_CHECKING:
    from rich.console import Console

    from magflow.rules.labels.model import Compiled

HIDDEN = "(not shown)"
"""In place of a value that is a secret."""

WIDE = 24
"""Longer values push the rest of their line to the right."""


def labels(
    env: Env,
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="This cluster alone.")] = None,
    as_json: Json = False,
) -> None:
    """Magnum's labels as they are compiled, each with its reason and source. Example: magflow labels stein."""
    from magflow import settings_file
    from magflow.errors import CannotTell
    from magflow.findings import errors
    from magflow.rules.labels import compile_all

    environment = settings_file.load(env)
    known = environment.settings.cluster_names
    if cluster is not None and cluster not in known:
        raise CannotTell(f"there is no cluster '{cluster}'", hint=f"known ones: {', '.join(known)}")
    compiled = compile_all(environment.settings)
    chosen = {name: one for name, one in compiled.items() if cluster in (None, name)}
    status = 1 if any(errors(one.findings) for one in chosen.values()) else 0
    if as_json:
        data = {"env": environment.name, "exit_code": status}
        print(json.dumps(data | {"clusters": {name: as_data(one) for name, one in chosen.items()}}, indent=2))
        raise typer.Exit(status)
    view = screen(as_json)
    for name, one in chosen.items():
        _show(view, name, one)
    raise typer.Exit(status)


def as_data(compiled: Compiled) -> dict[str, Any]:
    """Plain data of one cluster's labels; secrets are left out."""
    target = compiled.target
    return {
        "driver": target.driver,
        "magnum": str(target.release) if target.release else None,
        "reason": target.reason,
        "labels": [
            {
                "key": label.key,
                "value": _value(label.key, label.value),
                "of": _owner(compiled, index),
                "effective": _effective(compiled, index),
                "reason": label.reason,
                "source": label.source,
                "path": label.path,
            }
            for index, label in enumerate(compiled.labels)
        ],
        "effective": {key: _value(key, value) for key, value in compiled.effective.items()},
        "merge_labels": compiled.merge,
        "attributes": compiled.attributes,
        "replaced": [
            {"intent": item.intent, "path": item.path, "stage": item.stage, "reason": item.reason}
            for item in compiled.replaced
        ],
        "findings": [finding.as_dict() for finding in compiled.findings],
    }


def _show(view: Any, name: str, compiled: Compiled) -> None:
    target, console = compiled.target, view.console
    release = f", Magnum {target.release}" if target.release else ""
    view.heading(name, f"{target.driver}{release}: {target.reason}")
    _print_labels(console, compiled)
    words = ", ".join(f"{key} {str(value).lower()}" for key, value in compiled.attributes.items())
    lines = [f"template: {words}"]
    told = {finding.path for finding in compiled.findings}
    lines += [f"not by the driver: {one.intent}: {one.reason}" for one in compiled.replaced if one.path not in told]
    for line in lines:
        console.print(f"  {line}", highlight=False, markup=False, soft_wrap=True)
    for finding in compiled.findings:
        view.finding(finding)


def _print_labels(console: Console, compiled: Compiled) -> None:
    from rich.text import Text

    rows = [(index, label) for index, label in enumerate(compiled.labels) if _effective(compiled, index)]
    if not rows:
        console.print("  no labels", highlight=False)
        return
    keys = max(len(label.key) for _, label in rows)
    values = min(WIDE, max(len(_value(label.key, label.value)) for _, label in rows))
    for index, label in rows:
        of = " (of the cluster itself)" if _owner(compiled, index) == "cluster" else ""
        line = Text(f"  {label.key:{keys}}  {_value(label.key, label.value):{values}}  {label.reason}{of}  ")
        # a line a label, so that grep finds all of it
        console.print(line.append(label.source, "dim"), soft_wrap=True)


def _owner(compiled: Compiled, index: int) -> str:
    """Labels of the template come first."""
    return "template" if index < len(compiled.template) else "cluster"


def _effective(compiled: Compiled, index: int) -> bool:
    """Whether the driver reads this one: none of the same name comes after it, and it was not taken away."""
    label = compiled.labels[index]
    later = {other.key for other in compiled.labels[index + 1 :]}
    return label.key in compiled.effective and label.key not in later


def _value(key: str, value: str) -> str:
    from magflow.rules.labels.table import table

    spec = table().get(key)
    return HIDDEN if spec and spec.secret else value
