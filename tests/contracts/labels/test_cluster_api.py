"""The table against magnum-cluster-api: Python, and the fields of its compiled part."""

import re

import pytest

from magflow.rules.labels.table import node_fields, table

from .comparing import differences, known_of
from .reading import defaults, labels
from .wheels import texts, trees, wheel

RELEASE = "0.38.2"
COMPILED = "magnum_cluster_api/magnum_cluster_api.abi3.so"
RUST = "src/magnum.rs"
CONDUCTOR = "magnum/conductor/utils.py"
"""Magnum's own part that reads a label for every driver."""


@pytest.fixture(scope="module")
def archive():
    return wheel("magnum-cluster-api", RELEASE)


def says():
    return {key: spec.readers["cluster-api"] for key, spec in table().items() if "cluster-api" in spec.readers}


def compiled(archive):
    """Names of the fields of ClusterLabels (src/magnum.rs), and what follows them.

    The compiler lays the words one behind the other, after network_driver, but for a few that it puts elsewhere. Those
    that are known are taken off the front; what is left over may begin with a label that the table lacks.
    """
    code = archive.read(COMPILED)
    found = re.search(rb"network_driver((?:cilium|cinder|manila|csi|cloud|container)[a-z0-9_]+)", code)
    assert found, "the compiled part no longer has its labels where they were"
    rest, names = found[1].decode(), set()
    known = sorted(table(), key=len, reverse=True)
    while name := next((key for key in known if rest.startswith(key)), None):
        names.add(name)
        rest = rest.removeprefix(name)
    elsewhere = {key for key, reader in says().items() if reader.source == RUST and key.encode() in code}
    return names | elsewhere, rest


def read_by(archive):
    found = labels(trees(archive, "magnum_cluster_api/"))
    names, _ = compiled(archive)
    for name in names:
        found.setdefault(name, set()).add(COMPILED)
    return found


def test_the_table_has_the_labels_that_the_code_reads(archive):
    assert differences("cluster-api", set(says()), read_by(archive)) == []


def test_every_field_of_the_compiled_part_is_known(archive):
    names, rest = compiled(archive)
    assert len(names) > 10
    assert not re.match(r"[a-z0-9_]+_(tag|enabled|ipv4pool)", rest), f"the table lacks a label at the start of '{rest}'"


def test_each_label_is_read_where_the_table_says(archive):
    reads = read_by(archive)
    wrong = {
        key: f"{reader.source} is not among {sorted(reads[key])}"
        for key, reader in says().items()
        if key not in known_of("cluster-api", "table")
        and reader.source not in reads.get(key, ())
        and not (reader.source == RUST and COMPILED in reads[key])
    }
    assert wrong == {}


def test_magnums_conductor_reads_for_every_driver():
    assert "min_node_count" in labels(trees(wheel("magnum", "23.0.0"), CONDUCTOR))
    assert says()["min_node_count"].source == CONDUCTOR


def test_defaults_are_those_of_the_code(archive):
    real = defaults(trees(archive, "magnum_cluster_api/"))
    wrong = {
        key
        for key, reader in says().items()
        if key in real and reader.source.endswith(".py") and (reader.default_of(None) or "") != real[key].lower()
    }
    assert wrong == known_of("cluster-api", "default")


def test_booleans_are_taken_strictly(archive):
    # a word that is no boolean fails the cluster, so that the check makes it an error
    code = texts(archive, "magnum_cluster_api/utils.py")["magnum_cluster_api/utils.py"]
    assert code.count("strutils.bool_from_string(value, strict=True)") == 2


def test_the_documented_spelling_of_the_audit_log_is_not_read(archive):
    reads = read_by(archive)
    for what in ("age", "backup", "size"):
        assert f"audit_log_max_{what}" in reads
        assert f"audit_log_max{what}" not in reads
        assert table()[f"audit_log_max{what}"].instead == f"audit_log_max_{what}"


def test_it_hands_no_node_fields_on(archive):
    code = "".join(texts(archive, "magnum_cluster_api/").values()).encode() + archive.read(COMPILED)
    there = {field.name for field in node_fields() if field.name.encode() in code}
    assert there == {field.name for field in node_fields() if "cluster-api" in field.honoured_by}
