"""Releases of Magnum: what users write, and their order."""

import pytest

from magflow.rules import releases
from magflow.rules.releases import SERIES, Release, UnknownRelease, parse


@pytest.mark.parametrize(
    ("text", "version", "series"),
    [
        ("stein", (8, 2, 1), "stein"),
        ("Stein", (8, 2, 1), "stein"),
        ("8", (8, 2, 1), "stein"),
        ("8.1.0", (8, 1, 0), "stein"),
        ("8.1", (8, 1, 0), "stein"),
        ("22", (22, 0, 0), "2026.1"),
        ("2026.1", (22, 0, 0), "2026.1"),
        ("caracal", (18, 0, 1), "2024.1"),
        ("23", (23, 0, 0), "2026.2"),
    ],
)
def test_a_release_is_a_series_or_a_version(text, version, series):
    assert parse(text) == Release(version, series)
    assert parse(text).series == series


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("stien", "did you mean 'stein'?"),
        ("2026.3", "did you mean '2026.2'?"),
        ("caracel", "did you mean 'caracal'?"),
        ("6", "'6' is no release of Magnum that is known here"),
        ("24", "'24' is no release of Magnum that is known here"),
        ("newest", "'newest' is no release of Magnum that is known here"),
        ("8.1.0.1", "is no release of Magnum"),
    ],
)
def test_another_word_is_an_error_with_the_nearest(text, what):
    with pytest.raises(UnknownRelease, match="is no release of Magnum") as error:
        parse(text)
    assert what in error.value.what
    assert error.value.hint == "give a series (rocky .. 2026.2) or a version (7 .. 23, such as 8.1.0)"


def test_releases_are_in_order():
    names = ["rocky", "8.0.0", "8.1.0", "stein", "train", "9.4.2", "2023.1", "17", "2024.1", "22", "2026.2"]
    assert [parse(name) for name in names] == sorted(parse(name) for name in names)
    assert parse("8.0.0") < parse("8.1.0") < parse("stein")


def test_series_follow_each_other():
    assert list(SERIES) == list(range(7, 24))
    assert all(newest[0] == major for major, (_, newest) in SERIES.items())
    assert set(releases.ALIASES.values()) <= {name for name, _ in SERIES.values()}


def test_a_release_is_shown_with_its_series():
    assert str(parse("8.1.0")) == "8.1.0 (Stein)"
    assert str(parse("22")) == "22.0.0 (2026.1)"
