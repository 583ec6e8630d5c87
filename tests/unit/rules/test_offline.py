"""Rules of the settings alone, each in both directions."""

from __future__ import annotations

import copy

import pytest
from tests.unit.rules.test_compatibility import NEW, OLD, made

from magflow.findings import Severity
from magflow.rules import labels, offline
from magflow.rules.offline import image as offline_image
from magflow.rules.offline import machines as offline_machines
from magflow.rules.offline import network as offline_network


def found(module, settings, severity=None):
    return [
        (finding.code, finding.path)
        for finding in module.check(settings, labels.compile(settings))
        if severity in (None, finding.severity)
    ]


IRONIC = {
    "cloud": {"magnum_release": "17"},
    "image": {"os_distro": "fedora"},
    "cluster": {"server_type": "bm", "tiller": None},
}


@pytest.mark.parametrize(
    ("volumes", "code", "path"),
    [
        ({"docker": {"size": 20}}, "BM_WITH_DOCKER_VOLUME", "cluster.volumes.docker.size"),
        ({"driver": "cinder"}, "BM_WITH_VOLUME_DRIVER", "cluster.volumes.driver"),
        ({"boot": {"size": 40}}, "BM_WITH_BOOT_VOLUME", "cluster.volumes.boot.size"),
        ({}, None, None),
        ({"docker": {"size": 0}}, None, None),
    ],
)
def test_bare_metal_takes_no_volumes(volumes, code, path):
    settings = made(OLD, **IRONIC | {"cluster": IRONIC["cluster"] | {"volumes": volumes}})
    assert found(offline_machines, settings) == ([(code, path)] if code else [])


def test_a_boot_volume_by_label_is_one_too():
    parts = copy.deepcopy(IRONIC)
    parts["cluster"]["extra_labels"] = {"boot_volume_size": "40"}
    path = "cluster.extra_labels.boot_volume_size"
    assert found(offline_machines, made(OLD, **parts)) == [("BM_WITH_BOOT_VOLUME", path)]


@pytest.mark.parametrize("driver", ["capi-helm", "cluster-api", "heat"])
def test_cluster_api_drivers_make_no_docker_volume(driver):
    base = OLD if driver == "heat" else NEW
    settings = made(base, cloud={"driver": driver}, cluster={"volumes": {"docker": {"size": 20}}})
    wanted = [] if driver == "heat" else [("DRIVER_NO_DOCKER_VOLUME", "cluster.volumes.docker.size")]
    assert found(offline_machines, settings) == wanted


@pytest.mark.parametrize(
    ("driver", "count", "enabled", "wrong"),
    [
        ("cluster-api", 3, False, True),
        ("cluster-api", 3, True, False),
        ("cluster-api", 3, None, False),
        ("cluster-api", 1, False, False),
        ("capi-helm", 3, False, False),
    ],
)
def test_several_control_plane_nodes_need_a_load_balancer(driver, count, enabled, wrong):
    cluster = {"control_plane": {"flavor": "f", "count": count}, "load_balancer": {"enabled": enabled}}
    settings = made(NEW, cloud={"driver": driver}, cluster=cluster)
    path = "cluster.load_balancer.enabled"
    assert found(offline_machines, settings) == ([("MASTER_LB_MISSING", path)] if wrong else [])


@pytest.mark.parametrize(
    ("driver", "range_", "code"),
    [
        ("capi-helm", {}, "AUTOSCALING_WITHOUT_RANGE"),
        ("capi-helm", {"min": 1}, "AUTOSCALING_WITHOUT_RANGE"),
        ("capi-helm", {"min": 0, "max": 4}, "AUTOSCALING_FROM_ZERO"),
        ("capi-helm", {"min": 1, "max": 4}, None),
        ("cluster-api", {"min": 0, "max": 4}, None),
    ],
)
def test_autoscaling_needs_a_range(driver, range_, code):
    groups = {"default-worker": {"flavor": "f", "count": 1} | range_}
    settings = made(NEW, cloud={"driver": driver}, cluster={"autoscaling": True}, node_groups=groups)
    assert [name for name, _ in found(offline_machines, settings)] == ([code] if code else [])
    assert found(offline_machines, made(NEW, node_groups=groups)) == []


@pytest.mark.parametrize(
    ("minutes", "scale", "workers", "timeout", "severity"),
    [
        (15, 1, 3, 60, None),
        # control plane 15, workers 15
        (15, 1, 3, 29, Severity.ERROR),
        (15, 1, 3, 30, None),
        # 25 workers: three rounds of ten
        (15, 1, 25, 59, Severity.ERROR),
        (15, 1, 25, 60, None),
        (15, 2, 3, 59, Severity.ERROR),
        # nobody said how long a machine takes: a guess is no error
        (None, 1, 3, 5, Severity.WARNING),
        (None, 1, 3, 6, None),
    ],
)
def test_the_time_budget(minutes, scale, workers, timeout, severity):
    settings = made(
        NEW,
        cloud={"machine_minutes": minutes, "time_scale": scale},
        cluster={"create_timeout": timeout},
        node_groups={"default-worker": {"flavor": "f", "count": workers}},
    )
    wanted = [("CREATE_TIMEOUT_SHORT", "cluster.create_timeout")] if severity else []
    assert found(offline_machines, settings, severity) == wanted


def test_control_plane_nodes_of_cluster_api_join_one_after_the_other():
    cluster = {"control_plane": {"flavor": "f", "count": 3}, "create_timeout": 59}
    settings = made(NEW, cloud={"machine_minutes": 15}, cluster=cluster)
    finding = next(offline_machines.check(settings, labels.compile(settings)))
    assert "need about 60 minutes (4 rounds of 15 minutes" in finding.message


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({}, "KUBE_TAG_MISSING", "there is no label kube_tag"),
        ({"kube_tag": "1.27.4"}, "KUBE_TAG_FORMAT", "leading v"),
        ({"kube_tag": "latest"}, "KUBE_TAG_FORMAT", "'latest'"),
        ({"kube_tag": "v1.27.4"}, None, ""),
        ({"kube_tag": "v1.28.9-rancher1"}, None, ""),
    ],
)
def test_kube_tag(given, code, said):
    result = list(offline_image.kube_tag(given, "cluster-api", "cluster.extra_labels.kube_tag"))
    assert [finding.code for finding in result] == ([code] if code else [])
    assert all(said in finding.message for finding in result)
    assert list(offline_image.kube_tag(given, "capi-helm", "p")) == []


@pytest.mark.parametrize(
    ("asked", "carried", "wrong"),
    [("v1.25.3", "v1.27.4", True), ("v1.27.4", "1.27.4", False), ("v1.27.4", None, False)],
)
def test_an_image_of_another_version(asked, carried, wrong):
    settings = made(NEW, cluster={"kubernetes": asked}, image={"kube_version": None})
    result = list(offline_image.carried(settings, labels.compile(settings), carried, "image 'x'"))
    assert [finding.code for finding in result] == (["KUBE_TAG_IMAGE_SKEW"] if wrong else [])
    if wrong:
        assert "v1.27.4" in result[0].message and "v1.25.3" in result[0].message


def test_the_driver_on_heat_takes_its_version_from_elsewhere():
    settings = made(OLD)
    assert list(offline_image.carried(settings, labels.compile(settings), "v1.30.0", "image")) == []


def test_an_uploaded_image_tells_its_version():
    image = {"file": "i.qcow2", "checksum": "sha256:" + "0" * 64, "kube_version": None}
    assert found(offline_image, made(NEW, image=image)) == [("IMAGE_KUBE_VERSION_MISSING", "image.kube_version")]
    assert found(offline_image, made(NEW, image=image | {"kube_version": "v1.36.3"})) == []


@pytest.mark.parametrize(
    ("network", "path"),
    [
        ({"pods": "10.0.0.0/16", "services": "10.0.128.0/17"}, "network.services"),
        ({"pods": "10.0.0.0/16", "cidr": "10.0.1.0/24"}, "network.cidr"),
        ({"cidr": "172.16.5.0/24"}, "network.cidr"),
        ({"pods": "10.0.0.0/16", "services": "10.1.0.0/16", "cidr": "10.2.0.0/24"}, None),
        ({"pods": "fd00::/48"}, None),
    ],
)
def test_ranges_that_overlap(network, path):
    """The third is the driver's own range of pods."""
    assert found(offline_network, made(NEW, network=network)) == ([("RANGES_OVERLAP", path)] if path else [])


WHOLE = ["172.16.0.0/13", "172.24.0.0/13", ".svc", ".cluster.local"]


@pytest.mark.parametrize(
    ("no_proxy", "lacks"),
    [
        ([], "172.16.0.0/13 (pods), 172.24.0.0/13 (services), .svc, .cluster.local"),
        (WHOLE[1:], "172.16.0.0/13 (pods)"),
        (WHOLE[:3], ".cluster.local"),
        (WHOLE, None),
        (["172.16.0.0/12", "svc", "*.cluster.local"], None),
        (["*"], None),
    ],
)
def test_what_a_proxy_must_not_get(no_proxy, lacks):
    proxy = {"http": "http://proxy.example.org:3128", "https": "http://proxy.example.org:3128", "no_proxy": no_proxy}
    settings = made(NEW, cluster={"proxy": proxy})
    result = list(offline_network.check(settings, labels.compile(settings)))
    assert [finding.code for finding in result] == (["PROXY_GAP"] if lacks else [])
    assert all(finding.severity is Severity.WARNING for finding in result)
    if lacks:
        assert result[0].message.endswith(f"no_proxy lacks {lacks}")


@pytest.mark.parametrize(
    ("count", "mirror", "told"), [(19, None, False), (20, None, True), (20, "registry.example.org/m", False)]
)
def test_many_machines_pull_from_one_address(count, mirror, told):
    groups = {"default-worker": {"flavor": "f", "count": count}}
    settings = made(NEW, node_groups=groups, cluster={"registry_mirror": mirror})
    assert found(offline_network, settings) == ([("REGISTRY_LIMIT", "cluster.registry_mirror")] if told else [])


def seen(settings):
    return [(finding.code, finding.path) for finding in offline.look(settings).findings]


def test_an_mtu_without_a_network_of_ours_is_not_applied():
    assert seen(made(NEW, network={"mtu": 9000})) == [("MTU_NOT_APPLIED", "network.mtu")]
    assert seen(made(NEW, network={"mtu": 9000, "fixed": "nodes"})) == []


def test_a_further_cluster_s_own_value_is_told_where_it_stands():
    settings = made(NEW, clusters={"a": {"kubernetes": "v1.35.4"}, "b": {}})
    assert seen(settings) == [("KUBE_TAG_IMAGE_SKEW", "clusters.a.kubernetes")]


def test_what_all_clusters_share_is_told_once():
    settings = made(NEW, network={"driver": "flannel"}, clusters={"a": {}, "b": {}})
    assert [found for found in seen(settings) if found[0].startswith("NETWORK")] == [
        ("NETWORK_DRIVER_UNSUPPORTED", "network.driver")
    ]


def test_a_further_cluster_s_groups_and_image():
    groups = {"default-worker": {"flavor": "f", "count": 30}}
    settings = made(NEW, cloud={"machine_minutes": 30}, clusters={"a": {"node_groups": groups, "create_timeout": 30}})
    assert ("CREATE_TIMEOUT_SHORT", "clusters.a.create_timeout") in seen(settings)
    assert settings.path_of("a", "node_groups.default-worker.min") == ("clusters.a.node_groups.default-worker.min")
    assert settings.path_of("a", "image.os_distro") == "image.os_distro"


def test_without_a_driver_only_that_is_told():
    settings = made(OLD, cloud={"magnum_release": "23"}, image={"os_distro": "fedora-coreos"})
    assert [code for code, _ in seen(settings) if code.startswith(("LABEL", "KUBE_TAG"))] == []
    assert ("DRIVER_REMOVED", "cloud.driver") in seen(settings)


def test_the_look_says_for_what_it_holds():
    assert offline.look(made(NEW)).words == "1 cluster; capi-helm (run in the sandbox), Magnum 22.0.0 (2026.1)"
    assert "heat (compared with the drivers' code, not run)" in offline.look(made(OLD)).words


def test_every_one_of_two_hundred_clusters_is_looked_at():
    group = {"flavor": "f", "count": 1}
    more = {f"c{number}": {"node_groups": {"default-worker": group}, "create_timeout": 60} for number in range(199)}
    assert offline.look(made(NEW, clusters=more)).clusters == 200
