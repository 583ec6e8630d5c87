"""The modules by themselves, in roots of a user's own, on real services: what a mocked provider cannot show."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import openstack
import pytest
from tests.sandbox.suite import ROOT

from magflow import programs
from magflow.engine.terraform.environment import environment

HEAD = """
terraform {
  required_providers {
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}

provider "openstack" {
  cloud = "sandbox"
}
"""


class Root:
    """A root module of a user: applied, looked at, destroyed."""

    def __init__(self, folder: Path, clouds: Path) -> None:
        self.folder = folder
        self.env = environment({"OS_CLIENT_CONFIG_FILE": str(clouds)})

    def run(self, *words: str, text: str | None = None) -> str:
        if text is not None:
            (self.folder / "main.tf").write_text(HEAD + text.replace("MODULES", str(ROOT / "terraform/modules")))
        done = subprocess.run(
            [str(programs.need("terraform")), *words, "-no-color"],
            cwd=self.folder, env=self.env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def apply(self, text: str) -> dict[str, object]:
        self.run("init", text=text)
        self.run("apply", "-auto-approve")
        assert "No changes" in self.run("apply", "-auto-approve"), "a second apply changes something"
        outputs = json.loads(self.run("output", "-json"))
        return {name: entry["value"] for name, entry in outputs.items()}

    def refused(self, text: str) -> str:
        with pytest.raises(AssertionError) as error:
            self.run("apply", "-auto-approve", text=text)
        return " ".join(str(error.value).replace("│", "").split())


@pytest.fixture
def root(cloud_home, tmp_path):
    made = Root(tmp_path, cloud_home / "clouds.yaml")
    yield made
    if (tmp_path / ".terraform").exists():
        made.run("destroy", "-auto-approve")


@pytest.fixture
def cloud(cloud_home, monkeypatch):
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(cloud_home / "clouds.yaml"))
    with openstack.connect(cloud="sandbox") as connection:
        yield connection


NEW = """
module "network" {
  source   = "MODULES/network"
  external = "public"
  create   = { name = "ours", cidr = "10.88.0.0/24", dns = ["192.0.2.53"] }
  mtu      = 1400
}

output "ids" {
  value = [module.network.network_id, module.network.subnet_id, module.network.router_id, module.network.external_id]
}
"""
EXISTING = """
module "existing" {
  source   = "MODULES/network"
  external = module.network.external_id
  existing = { network = module.network.network_id, subnet = module.network.subnet_id }
  mtu      = %d
}

output "found" {
  value = [module.existing.network_id, module.existing.subnet_id]
}
"""


def test_a_network_is_made_and_found_again(root, cloud):
    network, subnet, router, external = root.apply(NEW)["ids"]
    assert cloud.network.get_network(network).mtu == 1400
    assert cloud.network.get_subnet(subnet).dns_nameservers == ["192.0.2.53"]
    assert cloud.network.get_router(router).external_gateway_info["network_id"] == external
    assert root.apply(NEW + EXISTING % 1400)["found"] == [network, subnet]
    assert "must have the MTU 9000; got 1400" in root.refused(NEW + EXISTING % 9000)
    root.run("destroy", "-auto-approve", text=NEW)
    assert cloud.network.find_network("ours") is None


ACCESS = """
module "access" {
  source        = "MODULES/access"
  driver        = "%s"
  node          = { address = "%s", floating = %s }
  allowed_cidrs = ["192.0.2.0/24"]
}

output "group" {
  value = module.access.security_group_id
}
"""


@pytest.fixture
def worker(cloud):
    """What Heat makes of a worker: a port in a group with a name that cannot be known, and a floating address."""
    network = cloud.network.create_network(name="heat")
    subnet = cloud.network.create_subnet(network_id=network.id, cidr="10.89.0.0/24", ip_version=4)
    router = cloud.network.create_router(external_gateway_info={"network_id": cloud.network.find_network("public").id})
    cloud.network.add_interface_to_router(router, subnet_id=subnet.id)
    group = cloud.network.create_security_group(name="demo-a1b2-secgroup_kube_minion-x7y8")
    port = cloud.network.create_port(network_id=network.id, security_groups=[group.id])
    address = cloud.network.create_ip(floating_network_id=cloud.network.find_network("public").id, port_id=port.id)
    yield group, port.fixed_ips[0]["ip_address"], address.floating_ip_address, port
    cloud.network.delete_ip(address)
    cloud.network.delete_port(port)
    cloud.network.delete_security_group(group)
    cloud.network.remove_interface_from_router(router, subnet_id=subnet.id)
    cloud.network.delete_router(router)
    cloud.network.delete_network(network)


def opened(cloud, group):
    rules = cloud.network.security_group_rules(security_group_id=group.id, direction="ingress")
    return {(rule.port_range_min, rule.remote_ip_prefix) for rule in rules}


def test_ports_of_a_heat_worker_are_opened_and_closed(root, cloud, worker):
    group, fixed, floating, port = worker
    assert root.apply(ACCESS % ("heat", fixed, "false"))["group"] == group.id
    assert opened(cloud, group) == {(80, "192.0.2.0/24"), (443, "192.0.2.0/24")}
    assert root.apply(ACCESS % ("heat", floating, "true"))["group"] == group.id
    said = root.refused(ACCESS % ("capi-helm", fixed, "false"))
    assert "LoadBalancer" in said
    default = cloud.network.find_security_group("default", project_id=cloud.current_project_id)
    cloud.network.update_port(port, security_groups=[group.id, default.id])
    assert "must be in one security group" in root.refused(ACCESS % ("heat", fixed, "false"))
    cloud.network.update_port(port, security_groups=[group.id])
    root.run("destroy", "-auto-approve", text=ACCESS % ("heat", fixed, "false"))
    assert opened(cloud, group) == set()


KEY_AND_IMAGE = """
module "keypair" {
  source     = "MODULES/keypair"
  name       = "node-image"
  public_key = "%s"
}

module "image" {
  source      = "MODULES/image"
  name        = "node-image"
  file        = "%s"
  checksum    = "%s"
  disk_format = "raw"
  properties  = { os_distro = "ubuntu", os_version = "%s", kube_version = "v1.36.3" }
}

module "found" {
  source     = "MODULES/image"
  depends_on = [module.image]
  name       = module.image.image.name
  checksum   = module.image.checksum
}

output "images" {
  value = [module.image.image.id, module.found.image.id]
}
"""


def test_a_key_pair_and_an_image_with_the_files_checksum(root, cloud, tmp_path):
    key = ROOT / "terraform/modules/keypair/examples/from-public-key/main.tf"
    public = next(line.split('"')[1] for line in key.read_text().splitlines() if "public_key" in line)
    file = tmp_path / "node.img"
    file.write_bytes(b"an image" * 1000)
    checksum = "sha256:" + hashlib.sha256(file.read_bytes()).hexdigest()
    # an older one of the same name, which is not ours
    cloud.image.create_image(
        name="node-image", data=b"another", disk_format="raw", container_format="bare", allow_duplicates=True
    )
    made, found = root.apply(KEY_AND_IMAGE % (public, file, checksum, "22.04"))["images"]
    assert made == found
    assert cloud.compute.find_keypair("node-image").public_key == public
    image = cloud.image.get_image(made)
    assert (image.os_distro, image.os_version, image.properties["kube_version"]) == ("ubuntu", "22.04", "v1.36.3")
    # the provider would pass a changed property that begins with os_ over in silence
    again, _ = root.apply(KEY_AND_IMAGE % (public, file, checksum, "24.04"))["images"]
    assert again != made
    assert cloud.image.get_image(again).os_version == "24.04"
    file.write_bytes(b"another")
    assert "must have the checksum" in root.refused(KEY_AND_IMAGE % (public, file, checksum, "24.04"))
    file.write_bytes(b"an image" * 1000)
    root.run("destroy", "-auto-approve")
    (stranger,) = cloud.image.images(name="node-image")
    cloud.image.delete_image(stranger)
