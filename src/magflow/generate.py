"""Writes what is generated from the code: the settings' schema and its page, the pages of all checks, labels and
versions, and the READMEs of the Terraform modules.

Usage: python -m magflow.generate [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from magflow import paths, terraform_page
from magflow.rules.compatibility import page as compatibility_page
from magflow.rules.labels import page as label_page
from magflow.settings import Settings

SCHEMA = Path("variables/schema.json")
SETTINGS_PAGE = Path("docs/settings.md")
CHECKS_PAGE = Path("docs/checks.md")
LABELS_PAGE = Path("docs/labels.md")
COMPATIBILITY_PAGE = Path("docs/compatibility.md")


def documents() -> dict[Path, str]:
    """Every generated file by its path in the checkout."""
    schema = Settings.model_json_schema(by_alias=True)
    return {
        SCHEMA: json.dumps(schema, indent=2) + "\n",
        SETTINGS_PAGE: settings_page(schema),
        CHECKS_PAGE: checks_page(),
        LABELS_PAGE: label_page.page(),
        COMPATIBILITY_PAGE: compatibility_page.page(),
        **terraform_page.pages(),
    }


def settings_page(schema: dict[str, Any]) -> str:
    """docs/settings.md: a table a part of the settings."""
    lines = [
        "# Settings",
        "",
        "A settings file says what an operator decides about one environment. `variables/example.yml` is a commented",
        "one; `variables/schema.json` is the JSON schema for editors. Unknown keys are errors.",
        "Written by `nox -s docs`.",
        "",
    ]
    definitions = schema["$defs"]
    for title, part in [("Settings", schema), *sorted(definitions.items())]:
        if "properties" not in part:
            continue
        lines += [
            f"## {title}",
            "",
            part.get("description", ""),
            "",
            "| key | type | default | meaning |",
            "|---|---|---|---|",
        ]
        required = part.get("required", [])
        for key, value in part["properties"].items():
            default = "required" if key in required else _default(value)
            lines.append(f"| `{key}` | {_type(value)} | {default} | {_meaning(value, definitions)} |")
        lines.append("")
    return "\n".join(lines)


def checks_page() -> str:
    """docs/checks.md: every stage with its checks."""
    from magflow.checks.preflight import PREFLIGHT
    from magflow.stages import STAGES

    lines = [
        "# Checks",
        "",
        "Each check is a title that is true when all is well. `magflow deploy` runs a stage's checks after its step",
        "and waits for them as long as the last column says (times `cloud.time_scale`); `magflow verify` looks once. A",
        "check that had nothing to look at is skipped with its reason and never counts as a pass.",
        "Written by `nox -s docs`.",
        "",
    ]
    for name, title, checks in [
        ("preflight", "Before anything is changed", PREFLIGHT),
        *((stage.name, stage.title, stage.checks) for stage in STAGES),
    ]:
        lines += [f"## {name}", "", f"{title}.", "", "| check | true when all is well | waits |", "|---|---|---|"]
        lines += [f"| `{check.id}` | {check.title} | {check.within:.0f} s |" for check in checks]
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Writes the files, or with --check says which differ (exit 1)."""
    differing = [
        path
        for path, text in documents().items()
        if not (paths.root() / path).is_file() or (paths.root() / path).read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv[1:]:
        print("\n".join(f"{path} is not what the code says: nox -s docs" for path in differing) or "all as generated")
        return 1 if differing else 0
    for path in differing:
        (paths.root() / path).write_text(documents()[path], encoding="utf-8")
        print(f"wrote {path}")
    return 0


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        return " or ".join(_type(option) for option in value["anyOf"] if option.get("type") != "null")
    if "enum" in value:
        return " or ".join(f"`{option}`" for option in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    if value.get("type") == "array":
        return f"list of {_type(value['items'])}"
    if value.get("type") == "object":
        inner = value.get("additionalProperties") or next(iter(value.get("patternProperties", {}).values()), None)
        return f"mapping of {_type(inner)}" if isinstance(inner, dict) else "mapping"
    return str(value.get("type", "any"))


def _meaning(value: dict[str, Any], definitions: dict[str, Any]) -> str:
    """The field's own description, else that of the part it holds."""
    part = definitions.get(value.get("$ref", "").rpartition("/")[2], {})
    return str(value.get("description") or part.get("description", ""))


def _default(value: dict[str, Any]) -> str:
    if value.get("type") in {"array", "object"}:
        return "empty"
    default = value.get("default")
    if default is None:
        return "unset"
    if isinstance(default, dict):
        return "its parts'"
    return f"`{json.dumps(default)}`"


if __name__ == "__main__":
    raise SystemExit(main())
