"""The README of each Terraform module and stack: what stands above the mark is written by hand, the rest is made here
from the variables, the outputs, the rules and the examples, as terraform-docs would."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hcl2

from magflow import paths

TERRAFORM = Path("terraform")
MARK = "<!-- From here on written by `nox -s docs`. -->"

_TYPE = re.compile(r'^variable "(\w+)" \{\n.*?^  type += (.*?)\n(?=  [a-z]|\})', re.MULTILINE | re.DOTALL)
_HEREDOC = re.compile(r"^<<-?(\w+)\n(.*)\n\s*\1$", re.DOTALL)
LONG = 40
"""Characters of a type that still fit into the table."""


@dataclass(frozen=True)
class Variable:
    """A variable: its type as it is written, its default in words, what it means, and the sentences of its rules."""

    name: str
    type: str
    default: str
    meaning: str
    rules: tuple[str, ...]


def pages() -> dict[Path, str]:
    """Every README by its path in the checkout."""
    folders = sorted(file.parent for file in (paths.root() / TERRAFORM).glob("*/*/versions.tf"))
    return {folder.relative_to(paths.root()) / "README.md": page(folder) for folder in folders}


def page(folder: Path) -> str:
    """The README of one folder."""
    lines = [_above(folder), MARK, ""]
    variables = _variables(folder)
    lines += ["## Variables", "", "| name | type | default | meaning |", "|---|---|---|---|"]
    for given in variables:
        word = "map of objects" if given.type.startswith("map(") else "object"
        kind = f"`{given.type}`" if _short(given.type) else f"{word}, [below](#{given.name})"
        lines.append(f"| `{given.name}` | {kind} | {given.default} | {_cell(given.meaning)} |")
    for given in variables:
        if not _short(given.type):
            lines += ["", f"### {given.name}", "", "```hcl", given.type, "```"]
    rules = [f"- {rule}" for given in variables for rule in given.rules]
    lines += ["", "What is refused before anything is changed:", "", *rules] if rules else []
    lines += ["", "## Outputs", "", "| name | meaning |", "|---|---|"]
    for name, body in _bodies(folder / "outputs.tf", "output"):
        hidden = " Sensitive." if body.get("sensitive") is True else ""
        lines.append(f"| `{name}` | {_cell(_text(body['description']))}{hidden} |")
    for example in sorted(folder.glob("examples/*/main.tf")):
        lines += ["", f"## Example: {example.parent.name}", "", "```hcl", _without_head(example), "```"]
    return "\n".join(lines) + "\n"


def _above(folder: Path) -> str:
    file = folder / "README.md"
    written = file.read_text(encoding="utf-8").partition(MARK)[0].rstrip() if file.is_file() else ""
    if written:
        return written + "\n"
    kind = folder.parent.name.removesuffix("s").capitalize()
    comment = re.match(r"(?:#.*\n)+", (folder / "main.tf").read_text(encoding="utf-8"))
    said = " ".join(line.lstrip("# ") for line in comment[0].splitlines()) if comment else ""
    return f"# {kind} `{folder.name}`\n\n{said}\n"


def _variables(folder: Path) -> list[Variable]:
    file = folder / "variables.tf"
    types = {found[1]: _dedent(found[2]) for found in _TYPE.finditer(file.read_text(encoding="utf-8"))}
    return [
        Variable(
            name,
            types[name],
            _default(body),
            _text(body["description"]),
            tuple(_rule(rule["error_message"]) for rule in body.get("validation", ())),
        )
        for name, body in _bodies(file, "variable")
    ]


def _bodies(file: Path, kind: str) -> list[tuple[str, dict[str, Any]]]:
    found = hcl2.loads(file.read_text(encoding="utf-8")).get(kind, [])
    return [(name.strip('"'), body) for block in found for name, body in block.items()]


def _default(body: dict[str, Any]) -> str:
    if "default" not in body:
        return "required"
    value = body["default"]
    if value is None:
        return "`null`"
    if isinstance(value, str):
        return f"`{value.removeprefix('${').removesuffix('}')}`"
    if isinstance(value, dict):
        inner = ", ".join(f"{key} = {_default({'default': item}).strip('`')}" for key, item in value.items())
        return f"`{{ {inner} }}`" if inner else "`{}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _text(value: str) -> str:
    """A description: a string in quotes, or a heredoc of one sentence a line."""
    inner = value.strip('"')
    heredoc = _HEREDOC.match(inner)
    lines = heredoc[2].splitlines() if heredoc else [inner]
    return " ".join(line.strip() for line in lines)


def _rule(message: str) -> str:
    """The sentence of a rule, without the value that it would show."""
    sentence = re.split(r"; (?:got|it has) ", _text(message))[0]
    return re.sub(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "...", sentence) + "."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _short(kind: str) -> bool:
    return len(kind) <= LONG and "\n" not in kind


def _dedent(kind: str) -> str:
    return re.sub(r"^  ", "", kind, flags=re.MULTILINE)


def _without_head(example: Path) -> str:
    """The example without its block of required providers, which is the same everywhere."""
    text = example.read_text(encoding="utf-8")
    return re.sub(r"^terraform \{\n.*?^\}\n\n", "", text, flags=re.MULTILINE | re.DOTALL).strip()
