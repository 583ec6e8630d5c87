"""What a change of the settings would do to a cluster that is there: the real provider plans, without any cloud.

The provider reaches for the cloud only when it must. So the state is written here, nothing is refreshed, and the plan
is made for the two resources alone.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from magflow.engine.plan import PlanSummary, summarize
from magflow.engine.terraform.environment import environment

TEMPLATE = "module.template.openstack_containerinfra_clustertemplate_v1.this"
CLUSTER = "module.cluster.openstack_containerinfra_cluster_v1.this"
LABELS = {"monitoring_enabled": "true"}
Plan = Callable[..., PlanSummary]

NOT_GIVEN = (
    "flavor",
    "master_flavor",
    "volume_driver",
    "docker_volume_size",
    "docker_storage_driver",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "insecure_registry",
)
ROOT = """
variable "labels" { type = map(string) }
variable "own_labels" { type = map(string) }
variable "image" { type = string }
variable "workers" { type = number }
variable "flavor" { type = string }

provider "openstack" {
  auth_url    = "https://127.0.0.1:9/v3"
  user_name   = "nobody"
  password    = "none"
  tenant_name = "none"
  domain_name = "none"
}

module "template" {
  source              = "./terraform/modules/cluster_template"
  name                = "research"
  image = {
    id         = var.image
    name       = "ubuntu"
    properties = { os_distro = "ubuntu", kube_version = "v1.36.3" }
  }
  external_network_id = "e7"
  network_driver      = "calico"
  master_lb_enabled   = false
  floating_ip_enabled = false
  labels              = var.labels
}

module "cluster" {
  source               = "./terraform/modules/cluster"
  name                 = "research"
  template_id          = module.template.id
  keypair              = "magflow"
  create_timeout       = 60
  control_plane_count  = 1
  control_plane_flavor = "bm.control"
  worker_count         = var.workers
  worker_flavor        = var.flavor
  labels               = var.own_labels
}

terraform {
  required_providers {
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}
"""


@pytest.fixture(scope="module")
def folder(program: str, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("changes")
    (made / "terraform").symlink_to(tree)
    (made / "main.tf").write_text(ROOT)
    terraform(program, made, "init", "-input=false")
    (made / "terraform.tfstate").write_text(json.dumps(state(program)))
    return made


@pytest.fixture
def plan(program: str, folder: Path) -> Plan:
    """Plans with one thing changed."""

    def make(**changed: Any) -> PlanSummary:
        values = {"labels": LABELS, "own_labels": None, "image": "0f0e", "workers": 2, "flavor": "bm.cpu"} | changed
        (folder / "terraform.tfvars.json").write_text(json.dumps(values))
        targets = ("-target=module.template", f"-target={CLUSTER}")
        terraform(program, folder, "plan", "-refresh=false", "-input=false", "-out=plan", *targets)
        return summarize(json.loads(terraform(program, folder, "show", "-json", "plan")))

    return make


def actions(summary: PlanSummary) -> dict[str, str]:
    return {change.address: change.action for change in summary.changes if change.kind.startswith("openstack_")}


def test_nothing_changes_by_itself(plan: Plan) -> None:
    assert actions(plan()) == {}, plan().changes


@pytest.mark.parametrize(
    "changed",
    [
        {"labels": {"monitoring_enabled": "false"}},
        {"labels": {**LABELS, "auto_healing_enabled": "true"}},
        {"image": "0f0f"},
    ],
    ids=["a label", "one more label", "the image"],
)
def test_a_changed_template_upgrades_the_cluster_in_place(plan: Plan, changed: dict[str, Any]) -> None:
    summary = plan(**changed)
    assert actions(summary) == {TEMPLATE: "replace", CLUSTER: "update"}
    (cluster,) = [change for change in summary.updated if change.address == CLUSTER]
    assert [item.path for item in cluster.attributes] == ["cluster_template_id"]


def test_scaling_is_in_place(plan: Plan) -> None:
    summary = plan(workers=0)
    assert actions(summary) == {CLUSTER: "update"}
    (change,) = summary.changes
    assert [(item.path, item.before, item.after) for item in change.attributes] == [("node_count", 2, 0)]


def test_another_flavor_replaces_the_cluster(plan: Plan) -> None:
    """Magnum cannot change it: what the plan guard is for."""
    (change,) = plan(flavor="bm.gpu4").replaced
    assert change.address == CLUSTER
    assert [item.path for item in change.attributes if item.forces_replacement] == ["flavor"]


def test_labels_of_the_cluster_itself_replace_it(plan: Plan) -> None:
    (change,) = plan(own_labels={"max_node_count": "6"}).replaced
    assert change.address == CLUSTER
    assert "PRIVATE KEY" not in repr(change)


def terraform(program: str, folder: Path, *args: str) -> str:
    done = subprocess.run([program, *args], cwd=folder, env=environment({}), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def state(program: str) -> dict[str, Any]:
    """The state after a first apply, as the Cluster API driver leaves it."""
    registry = {"terraform": "registry.terraform.io", "tofu": "registry.opentofu.org"}[Path(program).name]
    provider = f'provider["{registry}/terraform-provider-openstack/openstack"]'
    content = {
        "name": "research",
        "server_type": "vm",
        "image": "0f0e",
        "external_network_id": "e7",
        "fixed_network": None,
        "fixed_subnet": None,
        "network_driver": "calico",
        "dns_nameserver": None,
        "master_lb_enabled": False,
        "floating_ip_enabled": False,
        "labels": LABELS,
        **dict.fromkeys(NOT_GIVEN),
    }
    inner = dict.fromkeys(content, "string") | {"master_lb_enabled": "bool", "floating_ip_enabled": "bool"}
    inner |= {"docker_volume_size": "number"}
    kind = ["object", inner | {"labels": ["map", "string"]}]
    computed = {
        "project_id": "p1",
        "user_id": "u1",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
    }
    template = (
        content
        | computed
        | {
            "id": "t1",
            "coe": "kubernetes",
            "server_type": "vm",
            "cluster_distro": "ubuntu",
            "region": "RegionOne",
            "public": False,
            "hidden": False,
            "registry_enabled": False,
            "tls_disabled": False,
        }
    )
    cluster = computed | {
        "id": "c1",
        "name": "research",
        "region": "RegionOne",
        "cluster_template_id": "t1",
        "keypair": "magflow",
        "create_timeout": 60,
        "master_count": 1,
        "master_flavor": "bm.control",
        "node_count": 2,
        "flavor": "bm.cpu",
        "labels": LABELS,
        "api_address": "https://203.0.113.7:6443",
        "coe_version": "v1.36.3",
        "stack_id": "research-abcdefghijkl",
        "master_addresses": [],
        "node_addresses": [],
        "kubeconfig": {"raw_config": "-----BEGIN RSA PRIVATE KEY-----"},
        "timeouts": {"create": "65m", "update": "65m", "delete": "65m"},
    }

    def resource(module: str, kind: str, name: str, provider: str, attributes: dict[str, Any]) -> dict[str, Any]:
        instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": []}
        if "kubeconfig" in attributes:
            instance["sensitive_attributes"] = [[{"type": "get_attr", "value": "kubeconfig"}]]
        return {
            "module": module,
            "mode": "managed",
            "type": kind,
            "name": name,
            "provider": provider,
            "instances": [instance],
        }

    typed = {"value": content, "type": kind}
    return {
        "version": 4,
        "terraform_version": "1.9.0",
        "serial": 1,
        "lineage": "6c1f3a44-0000-0000-0000-000000000000",
        "outputs": {},
        "resources": [
            resource(
                "module.template",
                "terraform_data",
                "content",
                'provider["terraform.io/builtin/terraform"]',
                {"id": "d1", "input": typed, "output": typed, "triggers_replace": None},
            ),
            resource("module.template", "openstack_containerinfra_clustertemplate_v1", "this", provider, template),
            resource("module.cluster", "openstack_containerinfra_cluster_v1", "this", provider, cluster),
        ],
    }
