"""Small parts: passwords, clouds.yaml, ports, rules, kinds, database options, states of the whole."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from magflow_sandbox import door
from magflow_sandbox.clusters import ports
from magflow_sandbox.clusters.cluster_api import View
from magflow_sandbox.clusters.security_rules import Rule, control_plane_rules, worker_rules
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.openstack import clients, flavors, images, management, mariadb, passwords, place
from magflow_sandbox.openstack.site import Site
from magflow_sandbox.status import Cluster, Status
from magflow_sandbox.supervisor import Running


def test_passwords_are_random_private_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "passwords.json"
    first = passwords.load(path)
    assert set(first) == set(passwords.USERS)
    assert len(set(first.values())) == len(first) and min(map(len, first.values())) >= 24
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text(json.dumps({key: value for key, value in first.items() if key != "glance"}))
    second = passwords.load(path)
    assert second["glance"] != first["glance"]
    assert {**second, "glance": ""} == {**first, "glance": ""}


def test_clouds_yaml_is_private_and_verifies_with_our_authority(site: Site, tmp_path: Path) -> None:
    entries = {"a": clients.by_credential(site, "id", "secret"), "b": clients.by_password(site, "admin", "admin")}
    path = tmp_path / "clouds.yaml"
    clients.write_clouds(path, entries)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = clients.read_clouds(path)
    assert {entry["cacert"] for entry in read.values()} == {str(site.ca)}
    assert "verify" not in read["a"] and read["a"]["auth_type"] == "v3applicationcredential"
    assert clients.read_clouds(tmp_path / "none.yaml") == {}


def test_flavors_stand_for_machines() -> None:
    gpu = next(flavor for flavor in flavors.FLAVORS if flavor.gpus)
    assert gpu.extra_specs == {
        "resources:CUSTOM_BAREMETAL_BM_GPU4": "1",
        "resources:VCPU": "0",
        "resources:MEMORY_MB": "0",
        "resources:DISK_GB": "0",
        "magflow:gpus": "4",
    }
    assert [flavor.name for flavor in flavors.FLAVORS if flavor.vcpus < 2] == ["bm.tiny"]


def test_images_have_what_the_driver_reads() -> None:
    properties = {image.name: image.properties for image in images.IMAGES}
    assert properties["ubuntu-jammy-kube-v1.36.3"] == {"os_distro": "ubuntu", "kube_version": "v1.36.3"}
    assert "kube_version" not in properties["ubuntu-jammy-no-kube-version"]
    assert properties["no-distro"] == {}


def with_port(name: str, port: int | None = None) -> View:
    endpoint = {} if port is None else {"controlPlaneEndpoint": {"host": "127.0.0.1", "port": port}}
    return View({"metadata": {"name": name, "namespace": "n"}}, {"spec": endpoint})


def test_ports_are_the_lowest_free_ones_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "open", lambda address, port: port == 26601)
    given = ports.Ports()
    given.learn([with_port("old", 26600)])
    assert given.give(with_port("old", 26600)) == 26600
    # 26601 is listened on by somebody else
    assert given.give(with_port("new")) == 26602
    assert given.give(with_port("new")) == 26602
    given.take_back(with_port("new"))
    assert given.give(with_port("newer")) == 26602


def test_no_port_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "open", lambda address, port: True)
    with pytest.raises(SandboxError, match="all ports"):
        ports.Ports().give(with_port("new"))


def test_managed_groups_let_the_api_node_ports_and_each_other_in() -> None:
    control_plane = control_plane_rules("cp", "w")
    assert Rule("Kubernetes API", protocol="tcp", ports=(6443, 6443)) in control_plane
    worker = worker_rules("w", "cp", "10.0.0.0/24")
    assert {rule.group for rule in worker if rule.description == "In-cluster Ingress"} == {"w", "cp"}
    assert not [rule for rule in worker if rule.ports == (80, 80)]


def test_a_rule_is_compared_by_what_it_does() -> None:
    wanted = Rule("Node Port Services", protocol="tcp", ports=(30000, 32767), prefix="10.0.0.0/24")
    options = wanted.options()
    neutrons: Any = SimpleNamespace(**{**options, "ether_type": options["ethertype"], "id": "1"})
    assert Rule.of(neutrons) == wanted


def test_kinds_keep_the_stored_version_only(tmp_path: Path) -> None:
    definition = {
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "a"},
        "spec": {
            "conversion": {"strategy": "Webhook"},
            "versions": [{"name": "v1alpha4", "storage": False}, {"name": "v1beta1", "storage": True}],
        },
    }
    modules = {}
    for tool, names in management.KINDS.items():
        modules[tool] = tmp_path / tool
        for name in names:
            (modules[tool] / name).parent.mkdir(parents=True, exist_ok=True)
            (modules[tool] / name).write_text(yaml.safe_dump(definition))
    found = list(management.definitions(modules))
    assert [version["name"] for version in found[0]["spec"]["versions"]] == ["v1beta1"]
    assert "conversion" not in found[0]["spec"]
    assert found[-1]["metadata"]["name"] == "manifests.addons.stackhpc.com"


def test_management_kubeconfig_and_token_are_private(site: Site) -> None:
    site.ca.parent.mkdir(parents=True)
    site.ca.write_text("authority")
    management.write_files(site)
    for path in (site.management, site.data / "management" / "tokens.csv"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    command = management.apiserver(Path("/bin/kube-apiserver"), site)
    assert not [word for word in command if "password-of" in word]
    assert "--bind-address=127.0.0.1" in command


def test_database_listens_on_its_socket_only(tmp_path: Path) -> None:
    command = mariadb.command(Path("/usr/sbin/mariadbd"), tmp_path, tmp_path / "m.sock")
    assert "--skip-networking" in command and f"--socket={tmp_path / 'm.sock'}" in command


def test_a_path_too_long_for_a_socket_is_told() -> None:
    with pytest.raises(SandboxError, match="107 bytes") as caught:
        mariadb.command(Path("/usr/sbin/mariadbd"), Path("/d"), Path("/" + "x" * 110))
    assert "MAGFLOW_SANDBOX_HOME" in str(caught.value)


def test_chart_knows_the_versions_that_there_are(tmp_path: Path) -> None:
    folder = tmp_path / "chart"
    place.write_chart(folder, ["v1.36.3"])
    values = yaml.safe_load((folder / "values.yaml").read_text())
    assert values["availableKubernetesVersions"] == ["1.36.3"]
    written = {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()}
    assert folder / "templates" / "cluster.yaml" in written
    # a second time nothing is touched: Helm may be reading
    place.write_chart(folder, ["v1.36.3"])
    assert {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()} == written
    shipped = yaml.safe_load((place.CHART / "values.yaml").read_text())
    assert shipped["availableKubernetesVersions"] == []


def program(name: str, state: Any = "running") -> Running:
    return Running(name, state, 1, 0.0, 100, (), Path("/log"))


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (Status([], [], {}, None), "down"),
        (Status([program("a")], [], {"a": True}, []), "up"),
        (Status([program("a")], [], {"a": True}, [Cluster("c", "Provisioning", False)]), "up"),
        (Status([program("a"), program("b", "dead")], [], {"a": True}, []), "degraded"),
        (Status([program("a")], ["b"], {"a": True}, []), "degraded"),
        (Status([program("a")], [], {"a": False}, []), "degraded"),
        (Status([program("a")], [], {"a": True}, None), "degraded"),
    ],
)
def test_state_of_the_whole(status: Status, state: str) -> None:
    assert status.state == state
