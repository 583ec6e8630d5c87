"""The comparison itself: a label too many or too few is named."""

import ast

import pytest

from .comparing import KNOWN, differences, of_heat
from .reading import defaults, labels


def test_a_label_that_the_table_lacks_is_named_with_its_file():
    reads = {key: {"k8s_template_def.py"} for key in of_heat("22.0.0")}
    says = set(reads)
    assert differences("heat", says, reads) == []
    assert differences("heat", says - {"kube_tag"}, reads) == [
        "kube_tag is read in k8s_template_def.py, and the table lacks it"
    ]


def test_a_label_that_no_code_reads_is_named():
    assert differences("heat", {"kube_tag"}, {}) == ["kube_tag is in the table, and no code reads it"]


def test_what_is_known_but_no_longer_so_is_named():
    known = next(item for item in KNOWN if item["differs"] == "table")
    said = differences(known["driver"], {known["label"]}, {known["label"]: {"driver.py"}})
    assert said == [f"{known['label']} is known to be in the table alone, and is not"]


def test_every_known_difference_has_its_reason():
    assert all(item["reason"] for item in KNOWN)


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("label_list = ['a_label', 'b']", "a_label"),
        ("cluster.labels.get('a_label', 'x')", "a_label"),
        ("labels.get('a_label')", "a_label"),
        ("cluster.labels['a_label'] = 1", "a_label"),
        ("'a_label' in cluster.labels", "a_label"),
        ("self._label(cluster, 'a_label', '')", "a_label"),
        ("self._get_label_csv(cluster, 'a_label', '')", "a_label"),
        ("utils.get_cluster_label_as_bool(cluster, 'a_label', True)", "a_label"),
        ("get_node_group_label_as_int(group, 'a_label', 1)", "a_label"),
        ("common.is_enabled(cluster, 'a_label', 'volumev3')", "a_label"),
    ],
)
def test_every_way_of_reading_a_label_is_seen(code, key):
    assert key in labels({"x.py": ast.parse(code)})


@pytest.mark.parametrize("code", ["image.get('a_label')", "other(cluster, 'a_label')", "config['a_label']"])
def test_what_reads_no_label_is_not_seen(code):
    assert labels({"x.py": ast.parse(code)}) == {}


def test_defaults_are_read_where_they_stand():
    code = "labels.get('a', 'x'); labels.get('b'); utils.get_cluster_label_as_bool(c, 'd', True); labels.get('e', f())"
    assert defaults({"x.py": ast.parse(code)}) == {"a": "x", "d": "true"}
