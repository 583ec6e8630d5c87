"""Imports go one way, and the product and its sandbox do not know each other."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
LAYERS = ["cli", "engine", "stages", "checks", "cloud", "kube"]
"""From the top; each may import what stands below it, and the modules beside it that belong to no layer."""


def imports(file):
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def layer(module):
    parts = module.split(".")
    return parts[1] if parts[0] == "magflow" and len(parts) > 1 and parts[1] in LAYERS else None


FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_imports_only_what_is_below_it(name):
    above = LAYERS[: LAYERS.index(name)]
    wrong = [
        f"{file.relative_to(SOURCE)} imports {module}"
        for file in (SOURCE / "magflow" / name).rglob("*.py")
        for module in imports(file)
        if layer(module) in above
    ]
    assert wrong == []


def test_modules_without_a_layer_import_no_layer():
    doors = {"generate.py"}  # it writes pages about the stages
    wrong = [
        f"{file.name} imports {module}"
        for file in (SOURCE / "magflow").glob("*.py")
        for module in imports(file)
        if file.name not in doors and layer(module)
    ]
    assert wrong == []


def test_rules_are_decided_from_settings_and_data_alone():
    wrong = [
        f"{file.name} imports {module}"
        for file in (SOURCE / "magflow" / "rules").rglob("*.py")
        for module in imports(file)
        if layer(module)
    ]
    assert wrong == []


@pytest.mark.parametrize(("package", "other"), [("magflow", "magflow_sandbox"), ("magflow_sandbox", "magflow")])
def test_product_and_sandbox_do_not_import_each_other(package, other):
    wrong = [
        f"{file.relative_to(SOURCE)} imports {module}"
        for file in FILES
        if file.relative_to(SOURCE).parts[0] == package
        for module in imports(file)
        if module.split(".")[0] == other
    ]
    assert wrong == []


def test_modules_stay_small():
    """A module is about 80 lines; one that grows past 320 wants to be two."""
    lengths = {str(file.relative_to(SOURCE)): len(file.read_text().splitlines()) for file in FILES}
    assert {name: length for name, length in lengths.items() if length > 320} == {}
    assert sorted(lengths.values())[len(lengths) // 2] < 130
