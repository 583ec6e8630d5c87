"""What is asked for becomes the labels of one driver and release, and nothing else."""

import re

import pytest
from tests.unit.rules.test_compatibility import made
from tests.unit.rules.test_driver import PLAIN

from magflow import settings_file
from magflow.rules import labels
from magflow.rules.labels.page import INTENTS as ROWS
from magflow.rules.labels.table import table
from magflow.settings import Settings

ARTICLE = {
    "cgroup_driver": "cgroupfs",
    "ingress_controller": "traefik",
    "tiller_enabled": "true",
    "tiller_tag": "v2.14.3",
    "monitoring_enabled": "true",
    "kube_tag": "v1.14.6",
    "cloud_provider_tag": "v1.14.0",
    "heat_container_agent_tag": "train-dev",
}
"""The labels of "Kubeflow on Baremetal OpenStack" (StackHPC, 2019)."""

CLOUDS = {
    "rocky": {"cloud": {"driver": "heat", "magnum_release": "7.2.0"}, "image": {"os_distro": "fedora-atomic"}},
    "stein": {"cloud": {"driver": "heat", "magnum_release": "8.1.0"}, "image": {"os_distro": "fedora-atomic"}},
    "heat": {"cloud": {"driver": "heat", "magnum_release": "22"}, "image": {"os_distro": "fedora-coreos"}},
    "capi-helm": {"cloud": {"driver": "capi-helm", "magnum_release": "22"}},
    "cluster-api": {"cloud": {"driver": "cluster-api", "magnum_release": "22"}},
}


def compiled(cloud, /, **parts):
    return labels.compile(made(PLAIN, **CLOUDS[cloud] | parts))


def codes(result):
    return [(finding.code, finding.path, str(finding.severity)) for finding in result.findings]


def test_the_articles_cluster_has_the_articles_labels():
    result = labels.compile(settings_file.load("stein").settings)
    assert result.template == ARTICLE
    assert result.effective == ARTICLE
    assert result.own is None
    assert result.findings == ()
    assert result.replaced == ()
    # beside the labels, what k8s.tf of stackhpc/kubeflow-demo had
    assert result.attributes == {
        "network_driver": "flannel",
        "server_type": "vm",
        "docker_storage_driver": "overlay2",
        "floating_ip_enabled": False,
    }


@pytest.mark.parametrize("name", ["heat", "capi-helm", "cluster-api", "sandbox", "example"])
def test_shipped_settings_have_nothing_to_mend(name):
    for result in labels.compile_all(settings_file.load(name).settings).values():
        assert result.findings == ()


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_label_has_reason_source_and_path(cloud):
    result = compiled(cloud, cluster={"autoscaling": True, "auto_healing": True})
    assert result.labels
    for label in result.labels:
        assert label.reason and label.source and label.path


WHAT = [
    # what is asked for, and the labels that it becomes beside those of a plain cluster; None: it becomes none
    ({"ingress": {"controller": "traefik"}}, {"stein": {"ingress_controller": "traefik"}, "capi-helm": None}),
    ({"ingress": {"controller": "octavia"}}, {"heat": {"ingress_controller": "octavia"}, "cluster-api": None}),
    (
        {"monitoring": {"enabled": True}},
        {
            "rocky": {"prometheus_monitoring": "true"},
            "stein": {"monitoring_enabled": "true"},
            "heat": {"monitoring_enabled": "true"},
            "capi-helm": {"monitoring_enabled": "true"},
            "cluster-api": None,
        },
    ),
    (
        {"cluster": {"tiller": {"version": "v2.14.3"}}},
        {
            "rocky": {},
            "stein": {"tiller_enabled": "true", "tiller_tag": "v2.14.3"},
            "heat": None,
            "capi-helm": None,
            "cluster-api": None,
        },
    ),
    ({"cluster": {"tiller": {}}}, {"stein": {"tiller_enabled": "true"}}),
    (
        {"cluster": {"auto_healing": True}},
        {
            "stein": {"auto_healing_enabled": "true"},
            "heat": {"auto_healing_enabled": "true", "auto_healing_controller": "magnum-auto-healer"},
            "capi-helm": {"auto_healing_enabled": "true"},
            "cluster-api": {"auto_healing_enabled": "true"},
        },
    ),
    (
        {
            "cluster": {"autoscaling": True},
            "node_groups": {"default-worker": {"flavor": "f", "count": 2, "min": 1, "max": 4}},
        },
        {
            cloud: {"auto_scaling_enabled": "true", "min_node_count": "1", "max_node_count": "4"}
            for cloud in ("stein", "heat", "capi-helm", "cluster-api")
        },
    ),
    (
        {"cluster": {"registry_mirror": "registry.example.org/magnum"}},
        {
            "stein": {"container_infra_prefix": "registry.example.org/magnum/"},
            "heat": {"container_infra_prefix": "registry.example.org/magnum/"},
            "capi-helm": None,
            "cluster-api": {"container_infra_prefix": "registry.example.org/magnum"},
        },
    ),
    (
        {"network": {"pods": "10.9.0.0/16", "driver": "calico"}},
        {"heat": {"calico_ipv4pool": "10.9.0.0/16"}, "cluster-api": {"calico_ipv4pool": "10.9.0.0/16"}},
    ),
    ({"network": {"pods": "10.9.0.0/16", "driver": "flannel"}}, {"stein": {"flannel_network_cidr": "10.9.0.0/16"}}),
    ({"network": {"pods": "10.9.0.0/16", "driver": "cilium"}}, {"cluster-api": {"cilium_ipv4pool": "10.9.0.0/16"}}),
    (
        {"network": {"services": "10.8.0.0/16"}},
        {cloud: {"service_cluster_ip_range": "10.8.0.0/16"} for cloud in ("rocky", "heat", "cluster-api")},
    ),
    (
        {"cluster": {"load_balancer": {"floating_ip": False, "provider": "ovn", "allowed_cidrs": ["192.0.2.0/24"]}}},
        {
            "heat": {
                "master_lb_floating_ip_enabled": "false",
                "octavia_provider": "ovn",
                "master_lb_allowed_cidrs": "192.0.2.0/24",
            },
            "capi-helm": {
                "master_lb_floating_ip_enabled": "false",
                "octavia_provider": "ovn",
                "api_master_lb_allowed_cidrs": "192.0.2.0/24",
            },
        },
    ),
    (
        {"cluster": {"volumes": {"boot": {"size": 40, "type": "fast"}, "etcd": {"size": 8, "type": "nvme"}}}},
        {
            "heat": {
                "boot_volume_size": "40",
                "boot_volume_type": "fast",
                "etcd_volume_size": "8",
                "etcd_volume_type": "nvme",
            },
            "capi-helm": {
                "boot_volume_size": "40",
                "boot_volume_type": "fast",
                "etcd_blockdevice_size": "8",
                "etcd_blockdevice_volume_type": "nvme",
            },
        },
    ),
    (
        {"cluster": {"volumes": {"docker": {"size": 50, "type": "fast"}}}},
        {"heat": {"docker_volume_type": "fast"}, "capi-helm": {}},
    ),
]


@pytest.mark.parametrize(("parts", "wanted"), WHAT, ids=lambda value: ".".join(value)[:40])
def test_what_is_asked_for_becomes_exactly_these_labels(parts, wanted):
    for cloud, expected in wanted.items():
        plain, asked = compiled(cloud), compiled(cloud, **parts)
        new = {key: value for key, value in asked.template.items() if plain.template.get(key) != value}
        assert new == (expected or {}), cloud
        if expected:
            assert asked.findings == (), cloud
        # nothing that was asked for goes without a word
        if expected is None:
            (item,) = asked.replaced
            (finding,) = asked.findings
            assert finding.path == item.path
            assert finding.hint.removeprefix("leave it out; ") in item.reason


def test_a_plain_cluster_says_nothing_but_its_version_and_what_is_off():
    assert compiled("rocky").template == {"kube_tag": "v1.34.1"}
    assert compiled("heat").template == {"kube_tag": "v1.34.1"}
    assert compiled("capi-helm").template == {"auto_healing_enabled": "false"}
    assert compiled("cluster-api").template == {"auto_healing_enabled": "false", "kube_tag": "v1.34.1"}


COLUMNS = {"rocky": 1, "stein": 1, "heat": 1, "capi-helm": 2, "cluster-api": 3}
"""The column of the page's first table that each of the clouds belongs to."""


def test_the_page_says_what_each_setting_becomes():
    became = {(row[0], column): set() for row in ROWS for column in set(COLUMNS.values())}
    for parts, _ in WHAT:
        for cloud, column in COLUMNS.items():
            for label in compiled(cloud, **parts).labels:
                setting = next((row[0] for row in ROWS if label.path.startswith(row[0])), None)
                if label.path.startswith("node_groups."):
                    setting = "cluster.autoscaling"
                if setting:
                    became[setting, column].add(label.key)
    said = {(row[0], column): named(row[column]) for row in ROWS for column in set(COLUMNS.values())}
    # a volume of Docker's under a Cluster API driver is an error, told by the rules of machines
    del became["cluster.volumes.docker", 3], said["cluster.volumes.docker", 3]
    assert became == said


def named(cell):
    return {word for word in re.findall(r"[a-z_0-9]+", cell) if word in table()}


@pytest.mark.parametrize(
    ("cloud", "parts", "code", "path", "severity"),
    [
        ("capi-helm", {"ingress": {"controller": "traefik"}}, "LABEL_IGNORED", "ingress.controller", "warning"),
        ("cluster-api", {"monitoring": {"enabled": True}}, "LABEL_IGNORED", "monitoring.enabled", "warning"),
        ("heat", {"cluster": {"tiller": {}}}, "LABEL_INERT", "cluster.tiller", "warning"),
        ("capi-helm", {"cluster": {"tiller": {}}}, "LABEL_INERT", "cluster.tiller", "warning"),
        ("rocky", {"cluster": {"tiller": {}}}, "LABEL_TOO_NEW", "cluster.tiller", "error"),
        ("rocky", {"cluster": {"auto_healing": True}}, "LABEL_TOO_NEW", "cluster.auto_healing", "error"),
        ("capi-helm", {"network": {"pods": "10.9.0.0/16"}}, "LABEL_IGNORED", "network.pods", "error"),
        (
            "cluster-api",
            {"cluster": {"load_balancer": {"allowed_cidrs": ["192.0.2.0/24"]}}},
            "LABEL_IGNORED",
            "cluster.load_balancer.allowed_cidrs",
            "error",
        ),
        (
            "capi-helm",
            {"cluster": {"proxy": {"http": "http://p.example.org", "https": "http://p.example.org"}}},
            "ATTRIBUTE_IGNORED",
            "cluster.proxy",
            "warning",
        ),
        (
            "capi-helm",
            {"cluster": {"load_balancer": {"enabled": False}}},
            "ATTRIBUTE_IGNORED",
            "cluster.load_balancer.enabled",
            "warning",
        ),
    ],
)
def test_what_the_driver_does_not_do_is_told(cloud, parts, code, path, severity):
    assert codes(compiled(cloud, **parts)) == [(code, path, severity)]


def test_a_stage_of_ours_takes_the_place_of_what_is_ignored():
    (item,) = compiled("capi-helm", ingress={"controller": "traefik"}).replaced
    assert (item.intent, item.stage) == ("ingress controller traefik", "ingress_controller")
    (item,) = compiled("cluster-api", monitoring={"enabled": True}).replaced
    assert item.stage == "monitoring"


def test_so_it_does_when_the_label_is_given_as_it_is():
    extra = {
        "ingress_controller": "traefik",
        "prometheus_monitoring": "true",
        "kube_tag": "v1.34.1",
        "npd_enabled": "true",
    }
    result = compiled("capi-helm", cluster={"extra_labels": extra})
    assert [(item.path, item.stage) for item in result.replaced] == [
        ("cluster.extra_labels.ingress_controller", "ingress_controller"),
        ("cluster.extra_labels.prometheus_monitoring", "monitoring"),
    ]
    hints = {finding.path.rpartition(".")[2]: finding.hint for finding in result.findings}
    assert hints["prometheus_monitoring"] == "use monitoring_enabled"
    assert hints["kube_tag"] == "leave it out; the image's property kube_version says it"
    off = {"ingress_controller": "", "prometheus_monitoring": "false"}
    assert compiled("capi-helm", cluster={"extra_labels": off}).replaced == ()


def test_labels_of_nodes_are_left_to_a_stage_without_a_warning():
    groups = {"default-worker": {"flavor": "f", "count": 1, "labels": {"pooltype": "shared"}}}
    result = compiled("heat", node_groups=groups)
    (item,) = result.replaced
    assert (item.path, item.stage) == ("node_groups", "node_pools")
    assert "pooltype" not in str(result.template)
    assert result.findings == ()


def test_attributes_are_those_that_the_settings_decide():
    proxy = {
        "http": "http://p.example.org:3128",
        "https": "http://p.example.org:3128",
        "no_proxy": [".svc", "10.0.0.0/8"],
    }
    parts = {
        "network": {"dns": ["192.0.2.1", "192.0.2.2"]},
        "cluster": {
            "proxy": proxy,
            "load_balancer": {"enabled": True},
            "volumes": {"driver": "cinder", "docker": {"size": 50}},
        },
    }
    assert compiled("heat", **parts).attributes == {
        "network_driver": "calico",
        "server_type": "vm",
        "dns_nameserver": "192.0.2.1,192.0.2.2",
        "master_lb_enabled": True,
        "volume_driver": "cinder",
        "docker_storage_driver": "overlay2",
        "docker_volume_size": 50,
        "http_proxy": proxy["http"],
        "https_proxy": proxy["https"],
        "no_proxy": ".svc,10.0.0.0/8",
    }
    assert compiled("cluster-api").attributes == {"network_driver": "calico", "server_type": "vm"}


def further(**own):
    data = {"kubernetes": "v1.33.2", "extra_labels": {"ingres_controller": "traefik"}} | own
    base = made(PLAIN, **CLOUDS["cluster-api"], cluster={"extra_labels": {"kube_tagg": "v1"}})
    return Settings.model_validate(
        base.model_dump(mode="json", by_alias=True, exclude_none=True) | {"clusters": {"two": data}}
    )


def test_paths_are_those_that_values_really_stand_at():
    result = labels.compile_all(
        further(node_groups={"default-worker": {"flavor": "f", "count": 1, "labels": {"a": "b"}}})
    )
    assert [path for _, path, _ in codes(result["ml"])] == ["cluster.extra_labels.kube_tagg"]
    assert [path for _, path, _ in codes(result["two"])] == ["clusters.two.extra_labels.ingres_controller"]
    tag = next(label for label in result["two"].labels if label.key == "kube_tag")
    assert (tag.value, tag.path) == ("v1.33.2", "clusters.two.kubernetes")
    assert [item.path for item in result["two"].replaced] == ["clusters.two.node_groups"]


def test_what_clusters_share_is_found_once():
    settings = further()
    shared = Settings.model_validate(
        settings.model_dump(mode="json", by_alias=True, exclude_none=True) | {"clusters": {"two": {}, "three": {}}}
    )
    result = labels.compile_all(shared)
    assert [codes(one) for one in result.values()] == [
        [("LABEL_UNKNOWN", "cluster.extra_labels.kube_tagg", "error")],
        [],
        [],
    ]
    assert result["two"].template == result["ml"].template


def test_a_further_cluster_is_for_the_same_driver():
    parts = CLOUDS["heat"] | {"cloud": {"magnum_release": "22"}, "clusters": {"two": {"image": "other"}}}
    assert {one.target.driver for one in labels.compile_all(made(PLAIN, **parts)).values()} == {"heat"}
