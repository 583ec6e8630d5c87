"""Which versions go together: each row of the table in both directions."""

from __future__ import annotations

import copy

import pytest

from magflow.findings import Severity
from magflow.rules import compatibility, labels
from magflow.rules.compatibility import drivers as compatibility_drivers
from magflow.rules.compatibility.data import Range, table, version
from magflow.settings import Settings

OLD = {
    "cloud": {"name": "old", "driver": "heat", "magnum_release": "8.1.0"},
    "image": {"name": "fa29", "os_distro": "fedora-atomic", "os_version": "29"},
    "network": {"external": "public", "driver": "flannel"},
    "keypair": "k",
    "cluster": {
        "name": "old",
        "kubernetes": "v1.14.6",
        "control_plane": {"flavor": "f"},
        "tiller": {"version": "v2.14.3"},
    },
    "node_groups": {"default-worker": {"flavor": "f", "count": 1}},
    "ingress": {"controller": "traefik"},
    "monitoring": {"enabled": True},
    "stages": {"node_pools": False, "training_operator": False, "ingress": False, "smoke": False},
}
"""The article's cluster: Stein 8.1.0, Fedora Atomic 29, Helm 2."""

NEW = {
    "cloud": {"name": "new", "driver": "capi-helm", "magnum_release": "2026.1"},
    "image": {"name": "ubuntu", "os_distro": "ubuntu", "kube_version": "v1.36.3"},
    "network": {"external": "public"},
    "keypair": "k",
    "cluster": {"name": "new", "kubernetes": "v1.36.3", "control_plane": {"flavor": "f"}},
    "node_groups": {"default-worker": {"flavor": "f", "count": 1}},
    "training": {"manifests": "m"},
}


def made(base, **parts):
    data = copy.deepcopy(base)
    for part, values in parts.items():
        data.setdefault(part, {})
        data[part] |= values
    return Settings.model_validate(data)


def codes(settings, severity=Severity.ERROR):
    compiled = labels.compile(settings)
    found = compatibility.check(settings, compiled)
    return [(finding.code, finding.path) for finding in found if finding.severity is severity]


def test_the_article_s_own_cluster_holds():
    assert codes(made(OLD)) == []


def test_a_cluster_of_today_holds():
    assert codes(made(NEW)) == codes(made(NEW), Severity.WARNING) == []


CASES = {
    "monitoring without Tiller on Stein": (OLD, {"cluster": {"tiller": None}}, "MONITORING_NEEDS_TILLER"),
    "monitoring without Tiller on Ussuri 10.0": (
        OLD,
        {
            "cluster": {"tiller": None},
            "cloud": {"magnum_release": "10.0.0"},
            "ingress": {"controller": None},
        },
        "MONITORING_NEEDS_TILLER",
    ),
    "Helm 3 came with 10.1.0": (
        OLD,
        {"cluster": {"tiller": None}, "cloud": {"magnum_release": "10.1.0"}, "ingress": {"controller": None}},
        None,
    ),
    "Helm 2 asked for by label after that": (
        OLD,
        {
            "cluster": {"tiller": None, "extra_labels": {"helm_client_tag": "v2.16.7"}},
            "cloud": {"magnum_release": "10.1.0"},
            "ingress": {"controller": None},
        },
        "MONITORING_NEEDS_TILLER",
    ),
    "no monitoring needs no Tiller": (OLD, {"cluster": {"tiller": None}, "monitoring": {"enabled": False}}, None),
    "nginx without Tiller on Stein": (
        OLD,
        {"cluster": {"tiller": None}, "monitoring": {"enabled": False}, "ingress": {"controller": "nginx"}},
        "INGRESS_NGINX_NEEDS_TILLER",
    ),
    "nginx with Tiller on Stein 8.1.0": (OLD, {"ingress": {"controller": "nginx"}}, None),
    "nginx before 8.1.0": (
        OLD,
        {"ingress": {"controller": "nginx"}, "cloud": {"magnum_release": "8.0.0"}, "image": {"os_version": "27"}},
        "INGRESS_NGINX_TOO_EARLY",
    ),
    "traefik on Rocky follows latest": (
        OLD,
        {
            "cloud": {"magnum_release": "rocky"},
            "image": {"os_version": "27"},
            "cluster": {"kubernetes": "v1.13.12"},
            "monitoring": {"enabled": False},
        },
        "INGRESS_TRAEFIK_LATEST",
    ),
    "octavia on Rocky works": (
        OLD,
        {
            "cloud": {"magnum_release": "rocky"},
            "image": {"os_version": "27"},
            "cluster": {"kubernetes": "v1.13.12"},
            "ingress": {"controller": "octavia"},
        },
        None,
    ),
    "Atomic 29 on Rocky": (
        OLD,
        {
            "cloud": {"magnum_release": "rocky"},
            "cluster": {"kubernetes": "v1.13.12"},
            "ingress": {"controller": "octavia"},
        },
        "ATOMIC_TOO_NEW",
    ),
    "Atomic 29 on Stein 8.0.0": (
        OLD,
        {"cloud": {"magnum_release": "8.0.0"}, "ingress": {"controller": "octavia"}},
        "ATOMIC_TOO_NEW",
    ),
    "Kubernetes 1.14 on Rocky": (
        OLD,
        {"cloud": {"magnum_release": "rocky"}, "image": {"os_version": "27"}, "ingress": {"controller": "octavia"}},
        "KUBERNETES_TOO_NEW",
    ),
    "Kubernetes 1.15 on Stein": (OLD, {"cluster": {"kubernetes": "v1.15.7"}}, "KUBERNETES_TOO_NEW"),
    "Kubernetes 1.16 on Train": (
        OLD,
        {"cluster": {"kubernetes": "v1.16.3"}, "cloud": {"magnum_release": "train"}},
        None,
    ),
    "Kubernetes 1.17 on Train": (
        OLD,
        {"cluster": {"kubernetes": "v1.17.0"}, "cloud": {"magnum_release": "train"}},
        "KUBERNETES_TOO_NEW",
    ),
    "traefik 1.7 and Kubernetes 1.22": (
        OLD,
        {
            "cloud": {"magnum_release": "22"},
            "image": {"os_distro": "fedora-coreos", "os_version": "38"},
            "cluster": {"kubernetes": "v1.22.17", "tiller": None},
        },
        "INGRESS_TRAEFIK_TOO_OLD",
    ),
    "traefik 1.7 and Kubernetes 1.21": (
        OLD,
        {
            "cloud": {"magnum_release": "22"},
            "image": {"os_distro": "fedora-coreos", "os_version": "38"},
            "cluster": {"kubernetes": "v1.21.14", "tiller": None},
        },
        None,
    ),
    "Docker and Kubernetes 1.24": (
        OLD,
        {
            "cloud": {"magnum_release": "22"},
            "image": {"os_distro": "fedora-coreos", "os_version": "38"},
            "cluster": {
                "kubernetes": "v1.24.17",
                "tiller": None,
                "extra_labels": {"container_runtime": "host-docker"},
            },
            "ingress": {"controller": None},
        },
        "RUNTIME_NEEDS_CONTAINERD",
    ),
    "containerd and Kubernetes 1.24": (
        OLD,
        {
            "cloud": {"magnum_release": "22"},
            "image": {"os_distro": "fedora-coreos", "os_version": "38"},
            "cluster": {
                "kubernetes": "v1.24.17",
                "tiller": None,
                "extra_labels": {"container_runtime": "containerd"},
            },
            "ingress": {"controller": None},
        },
        None,
    ),
    "cilium on Heat": (OLD, {"network": {"driver": "cilium"}}, "NETWORK_DRIVER_UNSUPPORTED"),
    "flannel with capi-helm": (NEW, {"network": {"driver": "flannel"}}, "NETWORK_DRIVER_UNSUPPORTED"),
    "cilium with capi-helm": (NEW, {"network": {"driver": "cilium"}}, None),
    "flannel with cluster-api": (
        NEW,
        {"network": {"driver": "flannel"}, "cloud": {"driver": "cluster-api"}},
        "NETWORK_DRIVER_UNSUPPORTED",
    ),
    "a stage below its floor": (OLD, {"stages": {"smoke": True}}, "KUBERNETES_BELOW_FLOOR"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_rule(name):
    base, parts, code = CASES[name]
    assert [found for found, _ in codes(made(base, **parts))] == ([code] if code else [])


def test_every_error_of_the_table_has_a_case():
    tried = {code for _, _, code in CASES.values()}
    assert {rule.code for rule in table().rules if rule.severity == "error"} <= tried


def test_what_is_not_told_is_not_said_to_be_wrong():
    assert codes(made(OLD, image={"os_version": None}, cloud={"magnum_release": "8.0.0"}, ingress={})) == [
        ("INGRESS_TRAEFIK_LATEST", "ingress.controller")
    ]


def finding(settings, code):
    found = compatibility.check(settings, labels.compile(settings))
    return next(finding for finding in found if finding.code == code)


def test_a_finding_says_why_and_names_the_nearest():
    found = finding(made(OLD, cluster={"kubernetes": "v1.15.7"}), "KUBERNETES_TOO_NEW")
    assert found.message == (
        "Magnum 8.1.0 (Stein) makes Kubernetes up to v1.14, not v1.15.7 (StackHPC, Kubeflow on Baremetal OpenStack "
        "(2019): Stein supports up to v1.14.x)"
    )
    assert found.hint == "nearest: Kubernetes v1.14 with this release, or v1.15 with Magnum 9.0.0 (heat)"


def test_the_floor_names_the_stage_and_the_nearest_combination():
    found = finding(made(OLD, stages={"node_pools": True}), "KUBERNETES_BELOW_FLOOR")
    assert found.path == "stages.node_pools"
    assert "Kubernetes v1.22 with Magnum 14.0.0 (heat)" in found.hint


def test_what_nobody_tested_is_a_warning():
    settings = made(NEW, cluster={"kubernetes": "v1.33.1"}, image={"kube_version": "v1.33.1"})
    assert codes(settings) == []
    assert codes(settings, Severity.WARNING) == [("KUBERNETES_UNTESTED", "cluster.kubernetes")]
    assert finding(settings, "KUBERNETES_UNTESTED").hint.startswith("nearest: Kubernetes v1.34 with this release")


def test_an_older_training_operator_was_not_tried_with_the_newest_kubernetes():
    settings = made(NEW, training={"manifests": "m", "operator": "v1.9.2"})
    assert codes(settings, Severity.WARNING) == [("TRAINING_OPERATOR_UNTESTED", "training.operator")]
    assert finding(settings, "TRAINING_OPERATOR_UNTESTED").hint == "nearest: v1.9.4"
    older = made(NEW, training={"manifests": "m", "operator": "v1.9.2"}, cluster={"kubernetes": "v1.34.8"})
    assert codes(older, Severity.WARNING) == []


@pytest.mark.parametrize(
    ("release", "kubernetes", "hint"),
    [
        ("26.03", "v1.36.3", None),
        ("26.03", "v1.34.0", None),
        ("26.03", "v1.32.4", "nearest: v1.11.0"),
        ("v1.10.2", "v1.32.4", None),
        ("v1.10.2", "v1.36.3", "nearest: 26.03"),
        ("26.03", "v1.30.1", "nearest: Kubernetes v1.34"),
        (None, "v1.30.1", None),
    ],
)
def test_kubeflow_and_the_kubernetes_that_it_was_validated_on(release, kubernetes, hint):
    parts = {"kubeflow": {"release": release}, "cluster": {"kubernetes": kubernetes}}
    settings = made(NEW, **parts, image={"kube_version": kubernetes})
    said = [item for item in codes(settings, Severity.WARNING) if item[1] == "kubeflow.release"]
    assert said == ([("KUBEFLOW_UNTESTED", "kubeflow.release")] if hint else [])
    assert not hint or finding(settings, "KUBEFLOW_UNTESTED").hint == hint


@pytest.mark.parametrize(
    ("base", "parts", "path"),
    [
        (OLD, {}, None),
        (NEW, {}, None),
        (NEW, {"image": {"os_distro": None}}, None),
        (NEW, {"image": {"os_distro": "flatcar"}}, None),
        (NEW, {"image": {"os_distro": "fedora-coreos"}}, "image.os_distro"),
        (NEW, {"image": {"os_distro": "debian"}}, "image.os_distro"),
        (NEW, {"image": {"os_distro": "debian"}, "cloud": {"driver": "cluster-api"}}, None),
        (NEW, {"cluster": {"server_type": "bm"}}, "cluster.server_type"),
        (OLD, {"cluster": {"server_type": "bm"}, "image": {"os_distro": "fedora"}}, None),
        (OLD, {"cloud": {"magnum_release": "18"}}, "image.os_distro"),
        (
            OLD,
            {"cloud": {"magnum_release": "18"}, "image": {"os_distro": "fedora"}, "cluster": {"server_type": "bm"}},
            "cluster.server_type",
        ),
    ],
)
def test_a_driver_serves_the_type_or_the_served_ones_are_named(base, parts, path):
    settings = made(base, **parts)
    found = compatibility_drivers.check(settings, labels.compile(settings).target, settings.image.os_distro)
    assert [(finding.code, finding.path) for finding in found] == ([("NO_DRIVER_FOR_TYPE", path)] if path else [])
    if path:
        assert "served are (vm, " in found[0].hint
        distro = settings.image.os_distro
        assert f"({settings.cluster.server_type}, {distro}, kubernetes)" in found[0].message


def test_a_driver_that_is_younger_than_the_cloud():
    settings = made(NEW, cloud={"driver": "cluster-api", "magnum_release": "stein"})
    found = compatibility_drivers.check(settings, labels.compile(settings).target, "ubuntu")
    assert [finding.code for finding in found] == ["DRIVER_TOO_NEW"]
    assert "cluster-api needs Magnum 15.0.0, the cloud has 8.2.1 (Stein)" in found[0].message


@pytest.mark.parametrize(
    ("range_", "value", "holds"),
    [
        ({"from": "8.1.0"}, "8.1.0", True),
        ({"from": "8.1.0"}, "8.0.9", False),
        ({"below": "10.1.0"}, "10.0.0", True),
        ({"below": "10.1.0"}, "10.1.0", False),
        ({"to": "1.14"}, "1.14.6", True),
        ({"to": "1.14"}, "1.15.0", False),
        ({"below": "28"}, "27", True),
        ({"below": "28"}, "29", False),
        ({"below": "1.22"}, "1.22.0", False),
    ],
)
def test_ranges(range_, value, holds):
    assert Range.model_validate(range_).holds(version(value)) is holds


def test_every_row_has_a_source():
    rows = [*table().drivers, *table().kubernetes, *table().operators, *table().kubeflow, *table().rules]
    assert all(row.source for row in rows)


def test_support_is_said_for_every_driver():
    assert set(table().support) == {"heat", "capi-helm", "cluster-api"}
    assert compatibility.support("capi-helm") == "run in the sandbox"
