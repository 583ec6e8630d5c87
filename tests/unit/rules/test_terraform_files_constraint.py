"""Terraform's version constraints mean what Python's mean, where both have the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from magflow.rules.terraform_files.constraint import END, Range, parse, release, shown

PART = st.integers(0, 4)
VERSION = st.lists(PART, min_size=2, max_size=3).map(lambda parts: ".".join(map(str, parts)))
TERM = st.tuples(st.sampled_from([">=", "<=", ">", "<", "=", "~>"]), VERSION)


@given(st.lists(TERM, min_size=1, max_size=3), st.tuples(PART, PART, PART))
def test_a_release_is_let_in_as_python_would(terms, version):
    ours = parse(", ".join(f"{word} {given}" for word, given in terms))
    theirs = SpecifierSet(",".join(f"{ {'=': '==', '~>': '~='}.get(word, word) }{given}" for word, given in terms))
    assert (ours.low <= version < ours.high) == theirs.contains(shown(version))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1.2.3", (1, 2, 3), (1, 2, 4)),
        ("v1.2", (1, 2, 0), (1, 2, 1)),
        ("~> 3", (3, 0, 0), END),
        ("!= 1.2.3", (0, 0, 0), END),
        (">= 1.50.0-rc1", (1, 50, 0), END),
        (">1.0,<2.0", (1, 0, 1), (2, 0, 0)),
    ],
)
def test_terraform_s_own_ways(text, low, high):
    assert parse(text) == Range(low, high)


@pytest.mark.parametrize("text", ["", "newest", "=> 1.0", "1.x", ">= 1.0,", "~> "])
def test_what_is_no_constraint(text):
    with pytest.raises(ValueError, match="is no version constraint"):
        parse(text)


def test_a_version_is_no_constraint():
    assert release("v1.54.1-rc.1") == (1, 54, 1)
    with pytest.raises(ValueError, match="is no version"):
        release(">= 1.0")


@pytest.mark.parametrize(
    ("text", "old"), [("< 1.0", True), (">= 1.50.0", False), ("> 2.0, < 1.0", False), ("~> 1.49.0", True)]
)
def test_whether_an_old_release_is_let_in(text, old):
    assert parse(text).before((1, 50, 0)) is old
