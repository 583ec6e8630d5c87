"""Reads the labels that a driver's code asks for."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

Found = dict[str, set[str]]
"""Labels, each with the files that read it."""

HELPERS = ("_label", "_get_label_bool", "_get_label_int", "_get_label_csv")
"""How magnum-capi-helm reads labels (driver.py); the label is the second argument."""


IS_ENABLED = "is_enabled"
"""How magnum-cluster-api asks for a label and a service of the cloud (integrations/); the last word is the service."""


def labels(trees: dict[str, ast.Module]) -> Found:
    """Every label that these files read: of a list label_list, by `labels.get(...)`, `labels[...]` or a helper."""
    found: Found = defaultdict(set)
    for name, tree in trees.items():
        for node in ast.walk(tree):
            for key in _keys(node):
                found[key].add(name)
    return dict(found)


def defaults(trees: dict[str, ast.Module]) -> dict[str, str]:
    """What the code takes without a label, where it says so in the same place."""
    found = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not list(_keys(node)):
                continue
            (key,) = _keys(node)
            if _last_name(node.func) == IS_ENABLED:
                continue
            default = _constant(node.args[-1])
            if len(node.args) > 1 and default is not None and default != key:
                found[key] = written(default)
    return found


def written(value: object) -> str:
    """A value as a label would say it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _keys(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id="label_list")], value=ast.List(elts=elements)):
            yield from (element.value for element in elements)
        case ast.Call(func=ast.Attribute(attr="get", value=of), args=[ast.Constant(value=str(key)), *_]):
            if _last_name(of) in {"labels", "all_labels", "cluster_labels"}:
                yield key
        case ast.Call(func=function, args=[_, ast.Constant(value=str(key)), *_]):
            name = _last_name(function)
            if name in HELPERS or "_label_as_" in name or name == IS_ENABLED:
                yield key
        case ast.Subscript(value=of, slice=ast.Constant(value=str(key))):
            if _last_name(of) == "labels" and not key.startswith("cluster.x-k8s.io"):
                yield key
        case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In()], comparators=[of]):
            if _last_name(of) == "labels":
                yield key


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return ""
    return node.id if isinstance(node, ast.Name) else ""


def _constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None
