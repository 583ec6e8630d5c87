"""What is shown and compared of two states of an object, and whose write lies between."""

from datetime import UTC, datetime, timedelta

import pytest

from magflow.kube.compare import essence, text, written_by


def obj(kind="ConfigMap", **more):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}, **more}


def test_values_of_secrets_are_never_shown():
    shown = text(essence(obj("Secret", data={"key": "c2VjcmV0"}, stringData={"other": "secret"})))
    assert "c2VjcmV0" not in shown
    assert "secret\n" not in shown
    assert shown.count("sha256:") == 2


def test_programs_are_shown_line_by_line():
    assert "a: |-\n  one\n  two" in text({"a": "one\ntwo"})


def state(version, stamp=None, fields=None, manager="magflow", data="1"):
    entry = {"manager": manager, "operation": "Apply", "time": stamp, "fieldsV1": fields or {}}
    meta = {"name": "x", "resourceVersion": version, "managedFields": [entry] if stamp else []}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": data}}


LONG_AGO = "2026-01-01T00:00:00Z"
NOW = (datetime.now(UTC) + timedelta(seconds=60)).isoformat()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (state("1", LONG_AGO), state("1", LONG_AGO), False),
        (state("1", LONG_AGO), state("2", NOW), True),
        (state("1", LONG_AGO), state("2", LONG_AGO, {"f:data": {}}), True),
        # somebody else's write lies between
        (state("1", LONG_AGO), state("2", LONG_AGO, data="2"), False),
        # two writes in one second have one stamp: the content decides
        (state("1", NOW), state("2", NOW, data="2"), True),
        (state("1", NOW), state("2", NOW), False),
        (state("1"), state("2", NOW), True),
    ],
)
def test_whose_write_it_was(before, after, expected):
    assert written_by("magflow", before, after) is expected
