"""The sandbox cloud as its user and its operator see it, for the tests of the cloud itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import openstack
import yaml
from magnumclient.client import Client as Magnum
from magnumclient.exceptions import BadRequest
from openstack.connection import Connection
from tests.sandbox.conftest import sandbox

from magflow_sandbox.clusters.api import Api

KINDS = (
    "cluster.x-k8s.io/v1beta1/clusters",
    "cluster.x-k8s.io/v1beta1/machines",
    "cluster.x-k8s.io/v1beta1/machinedeployments",
    "controlplane.cluster.x-k8s.io/v1beta1/kubeadmcontrolplanes",
    "infrastructure.cluster.x-k8s.io/v1beta1/openstackclusters",
    "infrastructure.cluster.x-k8s.io/v1beta1/openstackmachinetemplates",
    "addons.stackhpc.com/v1alpha1/manifests",
)


def status(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sandbox(home, "status", "--json").stdout)
    return found


def pids(home: Path) -> dict[str, int]:
    return {item["name"]: item["pid"] for item in status(home)["programs"]}


def until(what: str, look: Callable[[], Any], within: float = 120) -> Any:
    deadline = time.monotonic() + within
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"{what}: not within {within:.0f} s"
        time.sleep(0.5)


class Cloud:
    """The cloud as its user sees it."""

    def __init__(self, home: Path, name: str = "sandbox", cacert: Path | None = None) -> None:
        self.home = home
        entry = yaml.safe_load((home / "clouds.yaml").read_text())["clouds"][name]
        if cacert:
            entry["cacert"] = str(cacert)
        self.sdk: Connection = openstack.connect(load_yaml_config=False, load_envvars=False, **entry)

    @cached_property
    def magnum(self) -> Any:
        return Magnum("1", session=self.sdk.session, region_name="RegionOne", api_version="1.10")

    def template(self, name: str, image: str, **values: Any) -> Any:
        known = {item.name: item for item in self.magnum.cluster_templates.list()}
        return known.get(name) or self.magnum.cluster_templates.create(
            name=name,
            image_id=image,
            keypair_id="magflow",
            external_network_id="public",
            flavor_id="bm.cpu",
            master_flavor_id="bm.control",
            coe="kubernetes",
            network_driver="calico",
            master_lb_enabled=True,
            floating_ip_enabled=True,
            **{"labels": {}, **values},
        )

    def create(self, name: str, image: str = "ubuntu-jammy-kube-v1.36.3", **values: Any) -> str:
        template = self.template(f"template-{image}", image)
        wanted = {"node_count": 1, "master_count": 1, "keypair": "magflow", **values}
        made = self.magnum.clusters.create(name=name, cluster_template_id=template.uuid, **wanted)
        return str(made.uuid)

    def settled(self, uuid: str) -> Any:
        def look() -> Any:
            cluster = self.magnum.clusters.get(uuid)
            return None if cluster.status.endswith("_IN_PROGRESS") else cluster

        return until("the cluster settles", look, 240)

    def remove(self, uuid: str) -> None:
        self.magnum.clusters.delete(uuid)

        def gone() -> bool:
            try:
                return uuid not in {item.uuid for item in self.magnum.clusters.list()}
            except BadRequest:  # Magnum's own race: the row outlives its node groups for a moment
                return False

        until("the cluster goes", gone, 120)

    def traces(self) -> dict[str, list[str]]:
        """Everything of the project that is not there from the start."""
        network, user = self.sdk.network, self.sdk.current_user_id
        project = {"project_id": self.sdk.current_project_id}
        management = Api.from_kubeconfig(self.home / "etc" / "management.kubeconfig")
        objects = [item["metadata"]["name"] for kind in KINDS for item in management.all(f"/apis/{kind}")]
        secrets = [item["metadata"]["name"] for item in management.all("/api/v1/secrets")]
        credentials = [item.name for item in self.sdk.identity.application_credentials(user)]
        return {
            "ports": [item.name for item in network.ports(**project)],
            "routers": [item.name for item in network.routers(**project)],
            "networks": [item.name for item in network.networks(**project)],
            "floating ips": [item.floating_ip_address for item in network.ips(**project)],
            "security groups": [
                item.name for item in network.security_groups(**project) if item.name not in {"default"}
            ],
            "credentials": [name for name in credentials if not name.startswith("magflow")],
            "management objects": [*objects, *secrets],
            "folders": [path.name for path in (self.home / "clusters").iterdir()],
            "programs": [name for name in pids(self.home) if "cluster" in name],
        }
