"""The real provider before a stub of Magnum: a root module, a state as a first apply leaves it, and plans of both."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.programs import PROGRAMS
from tests.stub_cloud import StubCloud, serve

from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP, TEMPLATE
from magflow.engine.terraform.environment import environment

REGISTRIES = {"terraform": "registry.terraform.io", "tofu": "registry.opentofu.org"}

PROVIDER = """
terraform {
  required_providers {
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}

variable "url" { type = string }

provider "openstack" {
  auth_url    = "${var.url}/v3"
  user_name   = "u"
  password    = "p"
  tenant_name = "p"
  domain_name = "Default"
  region      = "RegionOne"
}
"""
LABELS = {"auto_scaling_enabled": "true", "max_node_count": "3"}
COMMON = {"region": "RegionOne", "project_id": "p", "user_id": "u"}
TIMES = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
TEMPLATE_STATE = (
    COMMON
    | TIMES
    | {
        "id": "t1",
        "name": "research",
        "coe": "kubernetes",
        "image": "ubuntu",
        "flavor": "m1",
        "server_type": "vm",
        "cluster_distro": "ubuntu",
        "labels": LABELS,
        "master_lb_enabled": False,
        "floating_ip_enabled": False,
        "public": False,
        "hidden": False,
        "registry_enabled": False,
        "tls_disabled": False,
    }
)
CLUSTER_STATE = (
    COMMON
    | TIMES
    | {
        "id": "c1",
        "name": "demo",
        "cluster_template_id": "t1",
        "keypair": "k",
        "create_timeout": 60,
        "master_count": 1,
        "master_flavor": "m1",
        "node_count": 1,
        "flavor": "m1",
        "labels": LABELS,
        "api_address": "https://203.0.113.7:6443",
        "coe_version": "v1.36.3",
        "stack_id": "s",
        "master_addresses": [],
        "node_addresses": [],
        "kubeconfig": {"raw_config": "-----BEGIN RSA PRIVATE KEY-----", "client_certificate": "there"},
    }
)
GROUP_STATE = (
    COMMON
    | TIMES
    | {
        "id": "c1/g1",
        "name": "gpu",
        "cluster_id": "c1",
        "flavor_id": "m1",
        "image_id": "i",
        "role": "worker",
        "node_count": 2,
        "min_node_count": 0,
        "max_node_count": 4,
        "labels": {},
    }
)


@pytest.fixture(scope="session", params=list(PROGRAMS) or [None])
def program(request: pytest.FixtureRequest) -> str:
    if request.param is None:
        pytest.skip("neither terraform nor tofu is in PATH")
    return str(request.param)


@pytest.fixture(scope="session")
def stub() -> Iterator[StubCloud]:
    with serve() as cloud:
        yield cloud


@pytest.fixture
def cloud(stub: StubCloud) -> StubCloud:
    """The stub, as it was at first."""
    stub.__init__(stub.url)  # type: ignore[misc]
    return stub


class Root:
    """A root module that is initialised once."""

    def __init__(self, program: str, folder: Path, url: str) -> None:
        self.program, self.registry, self.folder = str(PROGRAMS[program]), REGISTRIES[program], folder
        (folder / "main.tf").write_text(PROVIDER)
        (folder / "terraform.tfvars.json").write_text(json.dumps({"url": url}))
        self.terraform("init", "-input=false")

    def write(self, text: str, state: dict[str, dict[str, Any]] | None = None) -> None:
        """Sets the configuration and the state (resource `TYPE.NAME` -> attributes)."""
        (self.folder / "main.tf").write_text(PROVIDER + text)
        provider = f'provider["{self.registry}/terraform-provider-openstack/openstack"]'
        resources = []
        for address, attributes in (state or {}).items():
            kind, name = address.split(".")
            marks = [[{"type": "get_attr", "value": "kubeconfig"}]] if "kubeconfig" in attributes else []
            instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": marks}
            one = {"mode": "managed", "type": kind, "name": name, "provider": provider, "instances": [instance]}
            resources.append(one)
        data = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "x", "resources": resources}
        (self.folder / "terraform.tfstate").write_text(json.dumps(data))

    def plan(self, text: str, state: dict[str, dict[str, Any]], *words: str, refresh: bool = False) -> Path:
        """The plan as `terraform show -json` writes it."""
        self.write(text, state)
        self.terraform("plan", f"-refresh={str(refresh).lower()}", "-input=false", "-out=plan.bin", *words)
        file = self.folder / "plan.json"
        file.write_text(self.terraform("show", "-json", "plan.bin"))
        return file

    def terraform(self, *args: str) -> str:
        done = subprocess.run(
            [self.program, *args], cwd=self.folder, env=environment({}), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def root(program: str, stub: StubCloud, tmp_path_factory: pytest.TempPathFactory) -> Root:
    return Root(program, tmp_path_factory.mktemp("root"), stub.url)


def block(kind: str, called: str, more: str = "", **values: Any) -> str:
    """A resource in HCL; JSON is HCL for these values."""
    lines = [
        f"  {key} = {value if str(value).startswith('openstack_') else json.dumps(value)}"
        for key, value in values.items()
    ]
    return f'resource "{kind}" "{called}" {{\n' + "\n".join(lines) + f"\n{more}\n}}\n"


def template(more: str = "", **changed: Any) -> str:
    kept = ("name", "coe", "image", "flavor", "server_type", "labels")
    return block(TEMPLATE, "research", more, **{key: TEMPLATE_STATE[key] for key in kept} | changed)


def cluster(more: str = "", **changed: Any) -> str:
    kept = ("name", "cluster_template_id", "keypair", "create_timeout", "master_count", "master_flavor", "node_count")
    values = {key: CLUSTER_STATE[key] for key in (*kept, "flavor", "labels")} | changed
    return block(CLUSTER, "demo", more, **{key: value for key, value in values.items() if value is not None})


def group(**changed: Any) -> str:
    kept = ("name", "cluster_id", "flavor_id", "role", "node_count", "min_node_count", "max_node_count")
    return block(NODE_GROUP, "gpu", **{key: GROUP_STATE[key] for key in kept} | changed)


STATE: dict[str, dict[str, Any]] = {
    f"{TEMPLATE}.research": TEMPLATE_STATE,
    f"{CLUSTER}.demo": CLUSTER_STATE,
    f"{NODE_GROUP}.gpu": GROUP_STATE,
}
Look = Callable[..., Any]
