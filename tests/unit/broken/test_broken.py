"""Shipped settings with one thing broken: `check --offline` finds exactly that, where it stands, and ends with 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from typer.testing import CliRunner

from magflow import paths, settings_file
from magflow.findings import errors
from magflow.rules import offline

SHIPPED = ("stein", "heat", "capi-helm", "cluster-api", "example", "sandbox")


class Broken(NamedTuple):
    """A change to a shipped file, and the one error that it makes."""

    file: str
    change: Callable[[dict[str, Any]], Any]
    code: str
    path: str


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Sets a value by its key path; None removes the key."""

    def change(data: dict[str, Any]) -> None:
        *parts, last = path.split(".")
        for part in parts:
            data = data.setdefault(part, {})
        if value is None:
            del data[last]
        else:
            data[last] = value

    return change


def all_of(*changes: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        for one in changes:
            one(data)

    return change


IRONIC = all_of(
    put("cloud.magnum_release", "17"),
    put("image.os_distro", "fedora"),
    put("cluster.server_type", "bm"),
    put("cluster.tiller", None),
    put("ingress.controller", None),
    put("monitoring", None),
    put("cluster.extra_labels", {}),
)
"""Stein's settings as the driver of server_type bm has them: Magnum 17 alone still has it, and it knows few labels."""

BROKEN = {
    "monitoring without Tiller": Broken(
        "stein", put("cluster.tiller", None), "MONITORING_NEEDS_TILLER", "monitoring.enabled"
    ),
    "nginx without Tiller": Broken(
        "stein",
        all_of(put("cluster.tiller", None), put("ingress.controller", "nginx"), put("monitoring", None)),
        "INGRESS_NGINX_NEEDS_TILLER",
        "ingress.controller",
    ),
    "traefik of Stein 8.0": Broken(
        "stein",
        all_of(put("cloud.magnum_release", "8.0.0"), put("image.os_version", "27")),
        "INGRESS_TRAEFIK_LATEST",
        "ingress.controller",
    ),
    "nginx before 8.1": Broken(
        "stein",
        all_of(put("cloud.magnum_release", "8.0.0"), put("image.os_version", "27"), put("ingress.controller", "nginx")),
        "INGRESS_NGINX_TOO_EARLY",
        "ingress.controller",
    ),
    "Fedora Atomic 29 before 8.1": Broken(
        "stein",
        all_of(put("cloud.magnum_release", "8.0.0"), put("ingress.controller", "octavia")),
        "ATOMIC_TOO_NEW",
        "image.os_version",
    ),
    "Kubernetes 1.15 on Stein": Broken(
        "stein", put("cluster.kubernetes", "v1.15.7"), "KUBERNETES_TOO_NEW", "cluster.kubernetes"
    ),
    "Kubernetes 1.17 on Train": Broken(
        "stein",
        all_of(put("cloud.magnum_release", "train"), put("cluster.kubernetes", "v1.17.0")),
        "KUBERNETES_TOO_NEW",
        "cluster.kubernetes",
    ),
    "node pools below Kubernetes 1.22": Broken(
        "stein", put("stages.node_pools", True), "KUBERNETES_BELOW_FLOOR", "stages.node_pools"
    ),
    "smoke below Kubernetes 1.22": Broken("stein", put("stages.smoke", True), "KUBERNETES_BELOW_FLOOR", "stages.smoke"),
    "traefik 1.7 on Kubernetes 1.28": Broken(
        "heat", put("ingress.controller", "traefik"), "INGRESS_TRAEFIK_TOO_OLD", "ingress.controller"
    ),
    "Docker on Kubernetes 1.28": Broken(
        "heat",
        put("cluster.extra_labels.container_runtime", "host-docker"),
        "RUNTIME_NEEDS_CONTAINERD",
        "cluster.kubernetes",
    ),
    "a driver on Heat after its end": Broken(
        "heat", put("cloud.magnum_release", "23"), "DRIVER_REMOVED", "cloud.driver"
    ),
    "no release for Heat": Broken("heat", put("cloud.magnum_release", None), "RELEASE_MISSING", "cloud.magnum_release"),
    "a release that is none": Broken(
        "capi-helm", put("cloud.magnum_release", "stien"), "RELEASE_UNKNOWN", "cloud.magnum_release"
    ),
    "cilium on Heat": Broken(
        "heat",
        all_of(put("network.driver", "cilium"), put("network.pods", None)),
        "NETWORK_DRIVER_UNSUPPORTED",
        "network.driver",
    ),
    "flannel with capi-helm": Broken(
        "capi-helm", put("network.driver", "flannel"), "NETWORK_DRIVER_UNSUPPORTED", "network.driver"
    ),
    "flannel with cluster-api": Broken(
        "cluster-api",
        all_of(put("network.driver", "flannel"), put("network.pods", None)),
        "NETWORK_DRIVER_UNSUPPORTED",
        "network.driver",
    ),
    "bare metal by server_type": Broken(
        "capi-helm", put("cluster.server_type", "bm"), "NO_DRIVER_FOR_TYPE", "cluster.server_type"
    ),
    "an image of Heat for capi-helm": Broken(
        "capi-helm", put("image.os_distro", "fedora-coreos"), "NO_DRIVER_FOR_TYPE", "image.os_distro"
    ),
    "an image of Cluster API for Heat": Broken(
        "heat", put("image.os_distro", "ubuntu"), "NO_DRIVER_FOR_TYPE", "image.os_distro"
    ),
    "bare metal with a docker volume": Broken(
        "stein",
        all_of(IRONIC, put("cluster.volumes.docker", {"size": 20})),
        "BM_WITH_DOCKER_VOLUME",
        "cluster.volumes.docker.size",
    ),
    "bare metal with a volume driver": Broken(
        "stein",
        all_of(IRONIC, put("cluster.volumes.driver", "cinder")),
        "BM_WITH_VOLUME_DRIVER",
        "cluster.volumes.driver",
    ),
    "a docker volume with capi-helm": Broken(
        "capi-helm",
        put("cluster.volumes.docker", {"size": 20}),
        "DRIVER_NO_DOCKER_VOLUME",
        "cluster.volumes.docker.size",
    ),
    "three control-plane nodes without a load balancer": Broken(
        "cluster-api",
        put("cluster.load_balancer.enabled", False),
        "MASTER_LB_MISSING",
        "cluster.load_balancer.enabled",
    ),
    "autoscaling without a range": Broken(
        "capi-helm",
        all_of(put("cluster.autoscaling", True), put("node_groups.gpu", None)),
        "AUTOSCALING_WITHOUT_RANGE",
        "node_groups.default-worker.min",
    ),
    "autoscaling from nothing": Broken(
        "capi-helm",
        all_of(
            put("cluster.autoscaling", True),
            put("node_groups.gpu", None),
            put("node_groups.default-worker.min", 0),
            put("node_groups.default-worker.max", 4),
        ),
        "AUTOSCALING_FROM_ZERO",
        "node_groups.default-worker.min",
    ),
    "kube_tag without its v": Broken(
        "cluster-api",
        put("cluster.extra_labels.kube_tag", "1.34.8"),
        "KUBE_TAG_FORMAT",
        "cluster.extra_labels.kube_tag",
    ),
    "an image of another version": Broken(
        "capi-helm", put("image.kube_version", "v1.34.8"), "KUBE_TAG_IMAGE_SKEW", "cluster.kubernetes"
    ),
    "an image that tells no version": Broken(
        "capi-helm",
        all_of(
            put("image.file", "image.qcow2"),
            put("image.checksum", "sha256:" + "0" * 64),
            put("image.kube_version", None),
        ),
        "IMAGE_KUBE_VERSION_MISSING",
        "image.kube_version",
    ),
    "ranges that overlap": Broken(
        "heat", put("network.services", "10.100.128.0/17"), "RANGES_OVERLAP", "network.services"
    ),
    "too little time for bare metal": Broken(
        "stein", put("cluster.create_timeout", 20), "CREATE_TIMEOUT_SHORT", "cluster.create_timeout"
    ),
    "no manifests for the training operator": Broken(
        "sandbox", put("training.manifests", None), "TRAINING_MANIFESTS_UNSET", "training.manifests"
    ),
    "a misspelt label": Broken(
        "heat",
        put("cluster.extra_labels.ingres_controller", "octavia"),
        "LABEL_UNKNOWN",
        "cluster.extra_labels.ingres_controller",
    ),
    "labels of its own that push the others out": Broken(
        "heat",
        put("cluster.own_labels", {"auto_healing_enabled": "true"}),
        "LABELS_REPLACED",
        "cluster.own_labels",
    ),
    "a further cluster of another version": Broken(
        "capi-helm",
        put("clusters", {"second": {"kubernetes": "v1.35.4"}}),
        "KUBE_TAG_IMAGE_SKEW",
        "clusters.second.kubernetes",
    ),
}


def write(folder: Path, broken: Broken) -> Path:
    data = yaml.safe_load((paths.root() / "variables" / f"{broken.file}.yml").read_text())
    broken.change(data)
    file = folder / "broken.yml"
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    return file


def test_there_are_thirty():
    assert len(BROKEN) >= 30


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_has_no_error(name):
    assert errors(offline.look(settings_file.load(name).settings).findings) == []


@pytest.mark.parametrize("name", BROKEN)
def test_one_thing_broken_is_one_error(name, tmp_path):
    broken = BROKEN[name]
    found = errors(offline.look(settings_file.load(str(write(tmp_path, broken))).settings).findings)
    assert [(finding.code, finding.path) for finding in found] == [(broken.code, broken.path)]
    assert found[0].message and found[0].hint


@pytest.mark.parametrize("name", ["monitoring without Tiller", "bare metal by server_type", "a misspelt label"])
def test_the_command_ends_with_one(name, tmp_path):
    from magflow.cli import app

    broken = BROKEN[name]
    done = CliRunner().invoke(app, ["check", str(write(tmp_path, broken)), "--offline", "--json"])
    assert done.exit_code == 1, done.output
    findings = json.loads(done.stdout)["findings"]
    assert [(f["code"], f["path"]) for f in findings if f["severity"] == "error"] == [(broken.code, broken.path)]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_command_ends_with_zero_for_what_is_shipped(name, monkeypatch, tmp_path):
    from magflow.cli import app

    for variable in ("OS_CLOUD", "OS_CLIENT_CONFIG_FILE"):
        monkeypatch.delenv(variable, raising=False)
    done = CliRunner().invoke(app, ["check", name, "--offline"])
    assert done.exit_code == 0, done.output
