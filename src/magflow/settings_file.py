"""Reads a settings file; a mistake in it becomes one line of what, where (file, line, key path) and what to do."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from magflow import paths
from magflow.errors import CannotTell, MagflowError
from magflow.settings import Settings
from magflow.settings.base import CIDR, GROUP, KUBERNETES, LABEL_KEY, LABEL_VALUE, NAME, RELEASE, VERSION, Strict

Location = tuple[str | int, ...]
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's where it is built in: five times as fast."""
Part = TypeVar("Part", bound=Strict)

WORDS = {
    NAME: "a name has 1-30 lower-case letters, digits or dashes and starts with a letter",
    GROUP: "a node group's name has 1-19 lower-case letters, digits or dashes and starts with a letter",
    LABEL_KEY: "a label key has letters, digits, '-', '_' or '.', 63 at most, behind an optional DNS prefix and '/'",
    LABEL_VALUE: "a label value has letters, digits, '-', '_' or '.', 63 at most",
    VERSION: "a version is written like v1.36.3",
    KUBERNETES: "a Kubernetes version is written like v1.36.3 or v1.28.9-rancher1",
    RELEASE: "a release is written like v1.10.2 or 26.03",
    CIDR: "a range of addresses is written like 10.0.0.0/24",
}
"""What the patterns of the settings mean, for people."""


class SettingsError(MagflowError):
    """One or more mistakes in a settings file; `problems` has one (where, what) each."""

    def __init__(self, file: Path, problems: list[tuple[str, str]]) -> None:
        self.problems = problems
        where, what = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(
            f"{what}{more}" if len(problems) == 1 else "\n       ".join(f"{at}: {text}" for at, text in problems),
            where=where if len(problems) == 1 else str(file),
            hint="mend the file; every key is described in docs/settings.md",
        )


@dataclass(frozen=True)
class Environment:
    """A named environment: its settings and the file they came from."""

    name: str
    file: Path
    settings: Settings


def find(env: str) -> Path:
    """The settings file of an environment.

    Args:
        env: a path to a .yml file, or a name under variables/.

    Raises:
        CannotTell: when there is no such file.
    """
    given = Path(env)
    if given.suffix in {".yml", ".yaml"}:
        if given.is_file():
            return given.resolve()
        raise CannotTell(f"there is no settings file '{env}'", hint="give a name under variables/ or a path")
    folder = paths.root() / paths.VARIABLES
    file = folder / f"{env}.yml"
    if not file.is_file():
        known = sorted(path.stem for path in folder.glob("*.yml"))
        raise CannotTell(
            f"there is no environment '{env}'", where=str(folder), hint=f"known ones: {', '.join(known) or 'none'}"
        )
    return file


def load(env: str) -> Environment:
    """Reads and checks the settings of an environment.

    Args:
        env: a path to a .yml file, or a name under variables/.

    Raises:
        CannotTell: when the file is missing or no YAML.
        SettingsError: when a value does not fit the model.
    """
    file = find(env)
    data, lines = _read(file)
    try:
        settings = Settings.model_validate(data)
    except ValidationError as error:
        raise SettingsError(file, [_explain(file, lines, item) for item in error.errors()]) from None
    return Environment(name=file.stem, file=file, settings=_with_paths(settings, file.parent))


def resolve(data: dict[str, Any], base: Path) -> Settings:
    """Settings from data that was read elsewhere (Ansible's extra vars).

    Args:
        data: the nested settings.
        base: folder that relative paths in them start from.

    Raises:
        SettingsError: when a value does not fit the model.
    """
    try:
        return _with_paths(Settings.model_validate(data), base)
    except ValidationError as error:
        raise SettingsError(base, [_explain(base, {}, item) for item in error.errors()]) from None


def _read(file: Path) -> tuple[Any, dict[Location, int]]:
    try:
        loader = _SafeLoader(file.read_text(encoding="utf-8"))
        # one reading gives both: what stands there, and where
        node = loader.get_single_node()
        data = loader.construct_document(node) if node else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise CannotTell(f"not valid YAML: {error.problem}", where=f"{file}:{line}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise CannotTell(f"cannot read the settings: {error}", where=str(file)) from None
    if not isinstance(data, dict):
        raise CannotTell(
            "the settings are not a mapping of keys", where=str(file), hint="start from variables/example.yml"
        )
    lines: dict[Location, int] = {}
    _lines(node, (), lines)
    return data, lines


def _lines(node: yaml.Node | None, at: Location, lines: dict[Location, int]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            lines[(*at, key.value)] = key.start_mark.line + 1
            _lines(value, (*at, key.value), lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            lines[(*at, index)] = value.start_mark.line + 1
            _lines(value, (*at, index), lines)


def _explain(file: Path, lines: dict[Location, int], item: Any) -> tuple[str, str]:
    # pydantic adds the branch of a union to the location; only what is in the file is of use to a reader
    branches = ("literal[", "function-after[", "[key]")
    location = tuple(part for part in item["loc"] if not str(part).startswith(branches))
    path = ".".join(str(part) for part in location)
    line = next((lines[location[:end]] for end in range(len(location), 0, -1) if location[:end] in lines), None)
    at = f"{file}:{line}" if line else str(file)
    return (f"{at} {path}".strip(), _sentence(location, item))


def _sentence(location: Location, item: Any) -> str:
    given = item.get("input")
    match item["type"]:
        case "extra_forbidden":
            near = difflib.get_close_matches(str(location[-1]), _fields(location[:-1]), n=1)
            return f"unknown key '{location[-1]}'" + (f"; did you mean '{near[0]}'?" if near else "")
        case "missing":
            return f"'{location[-1]}' is missing"
        case "value_error":
            return str(item["ctx"]["error"])
        case "string_pattern_mismatch":
            return f"{WORDS.get(item['ctx']['pattern'], item['msg'])}; got {given!r}"
        case _:
            shown = "" if isinstance(given, dict | list) else f"; got {given!r}"
            return f"{item['msg'][0].lower()}{item['msg'][1:]}{shown}"


def _fields(location: Location) -> list[str]:
    kind: Any = Settings
    for part in location:
        if _is_model(kind):
            kind = next((f.annotation for n, f in kind.model_fields.items() if part in (n, f.alias)), None)
        else:
            kind = next(iter(getattr(kind, "__args__", ())[-1:]), None)
    models = [kind, *getattr(kind, "__args__", ())]
    return [f.alias or n for model in models if _is_model(model) for n, f in model.model_fields.items()]


def _is_model(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseModel)


def _with_paths(part: Part, base: Path) -> Part:
    """The part with every path in it taken relative to the file's folder."""
    changed: dict[str, Any] = {}
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, Path):
            # links are kept: a link in the sandbox's folder says more than the cache that it points to
            changed[name] = Path(os.path.normpath(base.absolute() / value))
        elif isinstance(value, Strict):
            changed[name] = _with_paths(value, base)
    return part.model_copy(update=changed) if changed else part
