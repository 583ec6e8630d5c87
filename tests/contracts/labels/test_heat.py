"""The table against Magnum's own drivers on Heat."""

import re

import pytest
import yaml

from magflow.rules.driver import Target
from magflow.rules.labels.standing import Standing, judge
from magflow.rules.labels.table import table
from magflow.rules.releases import parse

from .comparing import differences, of_heat
from .reading import labels, written
from .wheels import texts, trees, wheel

RELEASES = ["7.2.0", "8.0.0", "8.1.0", "9.4.1", "10.1.0", "17.0.2", "18.0.1", "19.0.1", "20.0.2", "21.0.1", "22.0.0"]
IMAGES = {"fedora-atomic": "k8s_fedora_atomic_v1", "fedora-coreos": "k8s_fedora_coreos_v1"}
READERS = (
    "magnum/api/controllers/v1/",
    "magnum/conductor/",
    "magnum/drivers/common/",
    "magnum/drivers/heat/driver.py",
    "magnum/drivers/heat/k8s_",
    "magnum/drivers/heat/template_def.py",
    "magnum/drivers/k8s_fedora_",
)
PARAMETERS = {"service_cluster_ip_range": "portal_network_cidr"}
"""Labels that are a parameter of another name (k8s_template_def.py)."""

NOT_PARAMETERS = {"ca_cert_type", "master_lb_floating_ip_enabled"}
"""Labels that choose an environment file instead (template_def.py, add_fip_env_file)."""

HEAT_TYPES = {
    "boolean": {"bool"},
    "number": {"int"},
    "string": {"string", "tag", "version", "enum", "cidr"},
    "comma_delimited_list": {"cidrs"},
}


@pytest.fixture(params=RELEASES)
def release(request):
    return request.param


@pytest.fixture
def code(release):
    return wheel("magnum", release)


def stack(archive, driver):
    """The parameters of a driver's stack; empty: the release has no such driver."""
    found = texts(archive, f"magnum/drivers/{driver}/templates/kubecluster", end=".yaml")
    return yaml.safe_load(next(iter(found.values())))["parameters"] if found else {}


def newest_stack(archive):
    return stack(archive, IMAGES["fedora-coreos"]) or stack(archive, IMAGES["fedora-atomic"])


def parameter(key):
    return PARAMETERS.get(key, key)


def test_the_table_has_the_labels_that_the_code_reads(release, code):
    assert differences("heat", set(of_heat(release)), labels(trees(code, *READERS))) == []


def test_defaults_are_those_of_the_stack(release, code):
    said = {key: reader.default_of(parse(release)) for key, reader in of_heat(release).items()}
    wrong = {}
    for key, given in newest_stack(code).items():
        label = next((name for name, other in PARAMETERS.items() if other == key), key)
        if label in said:
            default = given.get("default")
            real = None if default is None else written(",".join(default) if isinstance(default, list) else default)
            if said[label] != real:
                wrong[label] = f"the table says {said[label]!r}, the code {real!r}"
    assert wrong == {}


def test_types_and_values_are_those_of_the_stack(release, code):
    wrong = {}
    given = newest_stack(code)
    for key in of_heat(release):
        spec, there = table()[key], given.get(parameter(key))
        if there is None:
            continue
        if spec.type not in HEAT_TYPES[there["type"]]:
            wrong[key] = f"{spec.type} is not {there['type']}"
        for constraint in there.get("constraints", []):
            values = constraint.get("allowed_values")
            if values and spec.type == "enum" and set(spec.values) != set(values):
                wrong[key] = f"{spec.values} are not {values}"
            pattern = constraint.get("allowed_pattern")
            if pattern and spec.readers["heat"].pattern != re.compile(pattern):
                wrong[key] = f"the pattern is {pattern}"
    assert wrong == {}


@pytest.mark.parametrize("os_distro", IMAGES)
def test_a_label_that_an_image_refuses_is_no_parameter_of_its_stack(release, code, os_distro):
    there = stack(code, IMAGES[os_distro])
    if not there:
        return  # the release serves no such image, which is told before any label is looked at
    target = Target("heat", parse(release), "")
    refused = {key for key in of_heat(release) if judge(table()[key], target, os_distro).standing is Standing.REFUSED}
    lacking = {key for key in of_heat(release) if parameter(key) not in there} - NOT_PARAMETERS
    assert refused == lacking


def test_bare_metal_has_the_labels_that_its_stack_has(release, code):
    there = stack(code, "k8s_fedora_ironic_v1")
    if not there:
        assert parse(release).major >= 18
        return
    said = {key for key, reader in of_heat(release).items() if reader.bare_metal}
    assert said == {key for key in of_heat(release) if parameter(key) in there}


def test_ingress_controllers_are_those_that_the_scripts_know(release, code):
    at = "magnum/drivers/common/templates/kubernetes/"
    script = next(iter(texts(code, f"{at}fragments/enable-ingress-controller", end=".sh").values()))
    known = set(re.findall(r'^"(\w+)"\)', script, re.MULTILINE))
    known |= {"nginx"} & {"nginx" for _ in texts(code, f"{at}helm/ingress-nginx", end=".sh")}
    assert known <= set(table()["ingress_controller"].values)
    assert ("nginx" in known) == (parse(release) >= parse("8.1.0"))
    assert ("octavia" in known) == (parse(release) >= parse("7.2.0"))


def test_merge_labels_is_as_old_as_the_compiler_thinks(release, code):
    from magflow.rules.labels import MERGE_SINCE

    there = (
        "merge_labels" in texts(code, "magnum/api/controllers/v1/cluster.py")["magnum/api/controllers/v1/cluster.py"]
    )
    assert there == (parse(release) >= MERGE_SINCE)


def test_the_last_release_has_no_driver_and_node_fields():
    archive = wheel("magnum", "23.0.0")
    assert not texts(archive, "magnum/drivers/heat/", "magnum/drivers/k8s_")
    group = texts(archive, "magnum/api/controllers/v1/nodegroup")["magnum/api/controllers/v1/nodegroup.py"]
    assert "node_labels" in group
    assert "node_taints" in group
    before = texts(wheel("magnum", "22.0.0"), "magnum/api/controllers/v1/nodegroup")
    assert "node_labels" not in before["magnum/api/controllers/v1/nodegroup.py"]
