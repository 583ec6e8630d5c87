"""The table of versions against the drivers' own code."""

from __future__ import annotations

import ast
import re

import pytest
import yaml
from tests.contracts.labels.wheels import texts, trees, wheel

from magflow.rules.compatibility.data import table, version

HEAT = ["7.2.0", "8.0.0", "8.1.0", "9.0.0", "9.1.0", "9.4.1", "10.1.0", "17.0.2", "18.0.1", "19.0.1", "20.0.2"]
HEAT += ["21.0.1", "22.0.0", "23.0.0"]
FRAGMENTS = "magnum/drivers/common/templates/kubernetes/fragments/"


def provided(archive, *beginnings):
    """(server_type, os) of every driver for kubernetes, as its `provides` says."""
    found = set()
    for tree in trees(archive, *beginnings).values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                try:
                    said = ast.literal_eval(node)
                except ValueError:
                    continue
                if said.get("coe") == "kubernetes" and "server_type" in said:
                    found.add((said["server_type"], said["os"]))
    return found


def in_table(driver, release):
    rows = [row for row in table().drivers if row.driver == driver and row.magnum.holds(version(release))]
    return {(triple.server_type, triple.os_distro) for row in rows for triple in row.serves}


@pytest.mark.parametrize("release", HEAT)
def test_what_magnum_s_own_drivers_serve(release):
    assert provided(wheel("magnum", release), "magnum/drivers/k8s_") == in_table("heat", release)


@pytest.mark.parametrize("release", ["1.4.0"])
def test_what_capi_helm_serves(release):
    assert provided(wheel("magnum-capi-helm", release), "magnum_capi_helm/driver") == in_table("capi-helm", "22.0.0")


@pytest.mark.parametrize("release", ["0.38.2"])
def test_what_cluster_api_serves_and_needs(release):
    archive = wheel("magnum-cluster-api", release)
    assert provided(archive, "magnum_cluster_api/driver") == in_table("cluster-api", "22.0.0")
    metadata = next(iter(texts(archive, "magnum_cluster_api-", end="METADATA").values()))
    least = re.search(r"^Requires-Dist: magnum>=([\d.]+)", metadata, re.M)
    assert least and not in_table("cluster-api", "14.1.2")
    assert version(least[1]) == (15, 0, 0)


@pytest.mark.parametrize("release", [release for release in HEAT if release != "23.0.0"])
def test_charts_need_tiller_until_the_client_is_helm_3(release):
    files = texts(wheel("magnum", release), FRAGMENTS, end="install-helm-modules.sh")
    now = version(release)
    if now < (8,):
        assert not files
        return
    (text,) = files.values()
    asks = re.search(r"^if .*TILLER_ENABLED.*$", text, re.M)
    if now < (10, 1):
        assert asks and "HELM_CLIENT_TAG" not in asks[0]
    elif now < (18,):
        assert asks and '"${HELM_CLIENT_TAG}" == v2.*' in asks[0]
        assert client(release).startswith("v3.")
    else:
        assert asks is None


def client(release):
    (text,) = texts(
        wheel("magnum", release), "magnum/drivers/k8s_fedora_coreos_v1/templates/", end="kubecluster.yaml"
    ).values()
    return yaml.safe_load(text)["parameters"]["helm_client_tag"]["default"]


@pytest.mark.parametrize("release", [release for release in HEAT if release != "23.0.0"])
def test_traefik_followed_latest_and_is_pinned_to_1_7_since(release):
    archive = wheel("magnum", release)
    (script,) = texts(archive, FRAGMENTS, end="enable-ingress-traefik.sh").values()
    image = re.search(r"image: \S*traefik(\S*)", script)
    if version(release) < (8, 1):
        assert image[1] == ""
        return
    assert image[1] == ":${TRAEFIK_INGRESS_CONTROLLER_TAG}"
    for text in texts(archive, "magnum/drivers/k8s_fedora_", end="kubecluster.yaml").values():
        tag = yaml.safe_load(text)["parameters"].get("traefik_ingress_controller_tag")
        assert tag is None or tag["default"].startswith("v1.7.")


@pytest.mark.parametrize("release", [release for release in HEAT if release != "23.0.0"])
def test_nginx_came_with_8_1_as_a_chart(release):
    charts = texts(wheel("magnum", release), "magnum/drivers/common/templates/kubernetes/helm/", end="ingress-nginx.sh")
    assert bool(charts) is (version(release) >= (8, 1))


@pytest.mark.parametrize("release", [release for release in HEAT if release != "23.0.0"])
def test_the_network_drivers_of_heat(release):
    scripts = texts(wheel("magnum", release), FRAGMENTS, end=".sh").values()
    asked = {name for text in scripts for name in re.findall(r'"\$NETWORK_DRIVER" (?:!|=)?= "(\w+)"', text)}
    assert asked == {"calico", "flannel"}


@pytest.mark.parametrize("release", [release for release in HEAT if release != "23.0.0"])
def test_the_drivers_own_ranges(release):
    files = texts(wheel("magnum", release), "magnum/drivers/k8s_fedora_", end="kubecluster.yaml")
    # the driver of Fedora CoreOS, where there is one: it stayed
    name = max(files, key=lambda file: ("coreos" in file, "atomic" in file))
    parameters = yaml.safe_load(files[name])["parameters"]
    for row in table().ranges:
        if row.driver == "heat" and (row.magnum is None or row.magnum.holds(version(release))):
            pods = {"calico": "calico_ipv4pool", "flannel": "flannel_network_cidr"}[row.network_driver]
            assert row.pods == parameters[pods]["default"]
            assert row.services == parameters["portal_network_cidr"]["default"]


@pytest.mark.parametrize("release", ["9.4.1", "17.0.2", "22.0.0"])
def test_the_container_runtime_is_docker_unless_asked(release):
    files = texts(wheel("magnum", release), "magnum/drivers/k8s_fedora_coreos_v1/templates/", end="kubecluster.yaml")
    (text,) = files.values()
    assert yaml.safe_load(text)["parameters"]["container_runtime"]["default"] == "host-docker"


def test_ranges_of_cluster_api():
    (row,) = [row for row in table().ranges if row.driver == "cluster-api"]
    text = texts(wheel("magnum-cluster-api", "0.38.2"), "magnum_cluster_api/resources")
    code = next(iter(text.values()))
    assert f'DEFAULT_POD_CIDR = "{row.pods}"' in code
    assert f'"service_cluster_ip_range", "{row.services}"' in code
