"""Data with one thing in it replaced by anything: what a reader of files must survive."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def mutants(data: Any) -> st.SearchStrategy[Any]:
    """Copies of the data, each with one place changed."""
    return st.builds(lambda place, value: _changed(data, place, value), st.sampled_from(_places(data)), ANYTHING)


def _places(value: Any) -> list[tuple[Any, ...]]:
    return [path for path in _each(value) if path]


def _each(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _each(inner, (*path, key))


def _changed(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    made = inner = copy.deepcopy(data)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return made
