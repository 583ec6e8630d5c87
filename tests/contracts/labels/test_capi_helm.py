"""The table against magnum-capi-helm, and what the compiler relies on in it."""

import ast
import functools
import re
from types import SimpleNamespace

import pytest

from magflow.rules.labels import OWN
from magflow.rules.labels import check as label_check
from magflow.rules.labels.table import node_fields, table, version

from .comparing import differences
from .reading import labels, written
from .wheels import texts, trees, wheel

RELEASES = ["1.0.0", "1.1.0", "1.2.1", "1.3.0", "1.4.0"]
NEWEST = RELEASES[-1]
DRIVER = "magnum_capi_helm/driver.py"


def says(release):
    """The labels that the table has for a release of the driver."""
    readers = {key: spec.readers["capi-helm"] for key, spec in table().items() if "capi-helm" in spec.readers}
    return {key: reader for key, reader in readers.items() if version(reader.first or "0") <= version(release)}


def options(release):
    """The options of conf.py that are defaults of labels: name, and the call that makes it."""
    (tree,) = trees(wheel("magnum-capi-helm", release), "magnum_capi_helm/conf.py").values()
    lists = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "capi_helm_cluster_labels_opts"
    ]
    return {call.args[0].value: call for call in lists[0].elts}


def keyword(call, name):
    found = next((word.value for word in call.keywords if word.arg == name), None)
    return ast.literal_eval(found) if found else None


def method(name):
    (tree,) = trees(wheel("magnum-capi-helm", NEWEST), DRIVER).values()
    return next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)


@pytest.mark.parametrize("release", RELEASES)
def test_the_table_has_the_labels_that_the_code_reads(release):
    reads = labels(trees(wheel("magnum-capi-helm", release), "magnum_capi_helm/"))
    assert differences("capi-helm", set(says(release)), reads) == []


def test_every_label_of_the_table_has_an_option():
    named = set(options(NEWEST))
    named |= set(re.findall(r'"(extra_network_name)"', texts(wheel("magnum-capi-helm", NEWEST), DRIVER)[DRIVER]))
    assert named == set(says(NEWEST))


def test_defaults_and_values_are_those_of_the_options():
    wrong = {}
    for key, call in options(NEWEST).items():
        spec, reader = table()[key], says(NEWEST)[key]
        default, choices = keyword(call, "default"), keyword(call, "choices")
        known = reader.default_of(None)
        if (known or "") != ("" if default is None else written(default)):
            wrong[key] = f"the table's default is {known!r}, the code's {default!r}"
        if choices and set(choices) != set(spec.values):
            wrong[key] = f"the table's values are {spec.values}, the code's {choices}"
        kind = ast.unparse(call.func).removeprefix("cfg.")
        if {"BoolOpt": "bool", "IntOpt": "int"}.get(kind, spec.type) != spec.type:
            wrong[key] = f"{spec.type} is not {kind}"
    assert wrong == {}


def test_deprecated_labels_are_those_that_the_code_calls_so():
    said = {key for key, call in options(NEWEST).items() if (keyword_text(call, "help")).startswith("Deprecated")}
    assert {key for key, reader in says(NEWEST).items() if reader.deprecated} == said | {"extra_network_name"}


def keyword_text(call, name):
    found = keyword(call, name)
    return found if isinstance(found, str) else ""


def test_the_template_is_read_and_the_clusters_own_labels_lie_over_it():
    merged = "helm.mergeconcat(cluster.cluster_template.labels, cluster.labels)"
    for release in RELEASES:
        assert merged in ast.unparse(trees(wheel("magnum-capi-helm", release), DRIVER)[DRIVER])
    assert merged in ast.unparse(method("_label"))
    assert not set(OWN) & set(labels(trees(wheel("magnum-capi-helm", NEWEST), "magnum_capi_helm/")))


@pytest.fixture
def label():
    """The driver's own `_label`, as it is in the wheel, with the one function that it calls."""
    archive = wheel("magnum-capi-helm", NEWEST)
    (tree,) = trees(archive, "magnum_capi_helm/helm.py").values()
    merge = [node for node in tree.body if isinstance(node, ast.FunctionDef) and "mergeconcat" in node.name]
    names = {"re": re, "functools": functools, "_REGISTERED_LABEL_NAMES": set(says(NEWEST))}
    exec(compile(ast.Module(merge, []), "helm.py", "exec"), names)
    names["helm"] = SimpleNamespace(mergeconcat=names["mergeconcat"])
    exec(compile(ast.Module([method("_label")], []), "driver.py", "exec"), names)
    return lambda cluster, key: names["_label"](None, cluster, key, "default")


def test_a_cluster_with_our_one_label_follows_its_template(label):
    """It is why the cluster has that label: a copy of the template's would hide the new template's."""
    old, new = (
        SimpleNamespace(labels=given) for given in ({"octavia_provider": "ovn"}, {"octavia_provider": "amphora"})
    )
    ours = SimpleNamespace(cluster_template=old, labels=dict(OWN))
    copied = SimpleNamespace(cluster_template=old, labels=dict(old.labels))
    assert label(ours, "octavia_provider") == label(copied, "octavia_provider") == "ovn"
    ours.cluster_template = copied.cluster_template = new
    assert label(ours, "octavia_provider") == "amphora"
    assert label(copied, "octavia_provider") == "ovn"


def test_the_drivers_own_code_strips_what_the_check_says(label):
    for text in ("ovn;x", "a:b", "a b_c-d.e/f", "1,2"):
        cluster = SimpleNamespace(cluster_template=SimpleNamespace(labels={"octavia_provider": text}), labels={})
        assert label(cluster, "octavia_provider") == label_check.STRIPPED.sub("", text)


def test_the_chart_version_is_read_from_the_template_alone():
    code = ast.unparse(method("_get_chart_version"))
    assert "cluster.cluster_template.labels.get('capi_helm_chart_version'" in code
    assert "cluster.labels" not in code


def test_characters_are_stripped_as_the_check_thinks():
    (pattern,) = re.findall(r"re\.sub\('(.+?)', ''", ast.unparse(method("_label")))
    stripped = re.compile(ast.literal_eval(f"'{pattern}'"))
    for code in range(32, 127):
        assert bool(stripped.search(chr(code))) == bool(label_check.STRIPPED.search(chr(code))), chr(code)


def test_it_installs_no_ingress_controller():
    assert '"ingress": {"enabled": False}' in texts(wheel("magnum-capi-helm", NEWEST), DRIVER)[DRIVER]


def test_attributes_that_it_ignores_are_not_read():
    code = texts(wheel("magnum-capi-helm", NEWEST), DRIVER)[DRIVER]
    for name in ("http_proxy", "https_proxy", "no_proxy", "master_lb_enabled", "docker_volume_size"):
        assert name not in code
    assert '"enableLoadBalancer": True' in code


def test_it_hands_no_node_fields_on():
    code = "".join(texts(wheel("magnum-capi-helm", NEWEST), "magnum_capi_helm/").values())
    assert {field.name for field in node_fields() if field.name in code} == {
        field.name for field in node_fields() if "capi-helm" in field.honoured_by
    }
