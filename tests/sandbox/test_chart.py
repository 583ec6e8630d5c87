"""Our chart with the values that the driver hands over, rendered by the real Helm."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
import yaml

from magflow_sandbox.openstack.place import CHART
from magflow_sandbox.toolchain import Toolchain

VALUES: dict[str, Any] = {
    "kubernetesVersion": "1.36.3",
    "machineImageId": "image-id",
    "machineSSHKeyName": None,
    "cloudCredentialsSecretName": "demo-cloud-credentials",
    "etcd": {},
    "apiServer": {"associateFloatingIP": True, "enableLoadBalancer": True, "loadBalancerProvider": "amphora"},
    "clusterNetworking": {
        "dnsNameservers": ["9.9.9.9"],
        "externalNetworkId": "external-id",
        "internalNetwork": {"networkFilter": None, "subnetFilter": None, "nodeCidr": "10.0.0.0/24"},
    },
    "osDistro": "ubuntu",
    "controlPlane": {"machineFlavor": "bm.control", "machineCount": 3, "healthCheck": {"enabled": True}},
    "nodeGroupDefaults": {"healthCheck": {"enabled": True}},
    "nodeGroups": [
        {"name": "default-worker", "machineFlavor": "bm.cpu", "machineCount": 2},
        {"name": "none", "machineFlavor": "bm.cpu", "machineCount": 0},
    ],
    "addons": {
        "openstack": {
            "csiCinder": {
                "defaultStorageClass": {"name": "default", "enabled": True, "volumeType": "__DEFAULT__"},
                "additionalStorageClasses": [],
            }
        }
    },
}


def helm(values: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    program = str(Toolchain().path("helm"))
    return subprocess.run(
        [program, "template", "demo", str(CHART), "--values", "-"],
        input=json.dumps(values),
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def render(**changes: Any) -> dict[tuple[str, str], Any]:
    done = helm({**VALUES, **changes})
    assert done.returncode == 0, done.stderr
    objects = [item for item in yaml.safe_load_all(done.stdout) if item]
    return {(item["kind"], item["metadata"]["name"]): item for item in objects}


def stem(name: str) -> str:
    """A template's name without the hash of what is in it."""
    return re.sub(r"-[0-9a-f]{8}$", "", name)


def test_the_objects_have_the_names_that_the_driver_polls() -> None:
    assert {(kind, stem(name)) for kind, name in render()} == {
        ("Cluster", "demo"),
        ("OpenStackCluster", "demo"),
        ("KubeadmControlPlane", "demo-control-plane"),
        ("OpenStackMachineTemplate", "demo-control-plane"),
        *(
            (kind, f"demo-{group}")
            for kind in ("MachineDeployment", "OpenStackMachineTemplate", "KubeadmConfigTemplate")
            for group in ("default-worker", "none")
        ),
        ("Manifests", "demo-csi-cinder-storageclass"),
    }


def test_a_machine_template_has_another_name_when_it_is_another() -> None:
    def templates(**changes: Any) -> dict[str, str]:
        return {stem(name): name for kind, name in render(**changes) if kind == "OpenStackMachineTemplate"}

    before = templates()
    assert templates() == before == templates(kubernetesVersion="1.36.4")
    after = templates(machineImageId="another")
    assert before.keys() == after.keys() and not set(before.values()) & set(after.values())
    group = {"name": "default-worker", "machineFlavor": "bm.gpu4", "machineCount": 2}
    after = templates(nodeGroups=[group])
    assert after["demo-default-worker"] != before["demo-default-worker"]
    assert after["demo-control-plane"] == before["demo-control-plane"]


def test_machines_are_made_by_the_template_of_their_owner() -> None:
    objects = render()
    templates = {name for kind, name in objects if kind == "OpenStackMachineTemplate"}
    control = objects["KubeadmControlPlane", "demo-control-plane"]["spec"]["machineTemplate"]
    worker = objects["MachineDeployment", "demo-default-worker"]["spec"]["template"]["spec"]
    assert {control["infrastructureRef"]["name"], worker["infrastructureRef"]["name"]} <= templates


def test_counts_and_versions_arrive() -> None:
    objects = render()
    control_plane = objects["KubeadmControlPlane", "demo-control-plane"]["spec"]
    assert (control_plane["version"], control_plane["replicas"]) == ("v1.36.3", 3)
    replicas = [
        objects["MachineDeployment", f"demo-{group}"]["spec"]["replicas"] for group in ("default-worker", "none")
    ]
    assert replicas == [2, 0]


def test_an_automatically_scaled_group_leaves_the_count_to_the_scaler() -> None:
    group = {"name": "gpu", "machineFlavor": "bm.gpu4", "machineCount": 2, "autoscale": "true"}
    deployment = render(nodeGroups=[{**group, "machineCountMin": 1, "machineCountMax": 4}])[
        "MachineDeployment", "demo-gpu"
    ]
    assert "replicas" not in deployment["spec"]
    limits = {key.rsplit("-", 2)[1]: value for key, value in deployment["metadata"]["annotations"].items()}
    assert limits == {"min": "1", "max": "4"}


def test_own_network_and_given_network_exclude_each_other() -> None:
    own = render()["OpenStackCluster", "demo"]["spec"]
    assert own["managedSubnets"] == [{"cidr": "10.0.0.0/24", "dnsNameservers": ["9.9.9.9"]}]
    assert "network" not in own
    network = {"networkFilter": {"id": "n"}, "subnetFilter": {"id": "s"}, "nodeCidr": "10.0.0.0/24"}
    given = render(clusterNetworking={"externalNetworkId": "e", "internalNetwork": network})["OpenStackCluster", "demo"]
    assert (given["spec"]["network"], given["spec"]["subnets"]) == ({"id": "n"}, [{"id": "s"}])
    assert "managedSubnets" not in given["spec"]


def test_the_class_of_the_default_type_is_the_default_class() -> None:
    (storage,) = render()["Manifests", "demo-csi-cinder-storageclass"]["spec"]["manifests"]
    assert storage["metadata"]["name"] == "csi-cinder"
    assert storage["metadata"]["annotations"] == {"storageclass.kubernetes.io/is-default-class": "true"}


@pytest.mark.parametrize(("known", "refused"), [(["1.36.3"], False), ([], False), (["1.35.4", "1.34.9"], True)])
def test_a_version_without_binaries_is_refused(known: list[str], refused: bool) -> None:
    done = helm({**VALUES, "availableKubernetesVersions": known})
    assert (done.returncode != 0) is refused
    if refused:
        assert "Kubernetes 1.36.3 (kube_version of the image) is not available here" in done.stderr
        assert "binaries of 1.35.4, 1.34.9 only" in done.stderr
