"""What an operator may decide. This is the only home of such defaults; the model is strict, so that a typo is an error.

The JSON schema in variables/schema.json and docs/settings.md are generated from here (`magflow.settings_docs`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

NAME = r"^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$"
VERSION = r"^v1\.\d+\.\d+$"
GROUP = r"^[a-z]([a-z0-9-]{0,17}[a-z0-9])?$"
LABEL_KEY = r"^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$"
LABEL_VALUE = r"^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$"

Name = Annotated[str, Field(pattern=NAME)]
GroupName = Annotated[str, Field(pattern=GROUP)]
LabelKey = Annotated[str, Field(pattern=LABEL_KEY)]
LabelValue = Annotated[str, Field(pattern=LABEL_VALUE)]

DEFAULT_WORKER = "default-worker"
"""Magnum makes this group with every cluster (Magnum user guide, "Node groups")."""


class Strict(BaseModel):
    """A part of the settings: frozen, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Cloud(Strict):
    """Which OpenStack cloud, and how it is spoken to."""

    name: str = Field(min_length=1, description="Entry of clouds.yaml that holds the credentials.")
    clouds_file: Path | None = Field(
        None,
        description="The clouds.yaml to read; relative to this file. Unset: the places that openstacksdk searches.",
    )
    time_scale: float = Field(
        1.0, gt=0, le=100, description="Multiplies the time that checks wait for a result; raise it for slow machines."
    )


class Image(Strict):
    """The Glance image of the cluster's machines."""

    name: str = Field(
        min_length=1,
        description="Name or id of an image with the properties os_distro and (Cluster API drivers) kube_version.",
    )


class Network(Strict):
    """The Neutron networks of the cluster."""

    external: str = Field(min_length=1, description="External network, for the API's floating IP and the router.")
    fixed: str | None = Field(None, description="Existing network for the nodes; unset: the driver makes one.")
    subnet: str | None = Field(None, description="Existing subnet of `fixed`; unset: its only one.")
    driver: Literal["calico", "cilium", "flannel"] = Field("calico", description="Network driver of the pods.")

    @model_validator(mode="after")
    def _subnet_needs_network(self) -> Network:
        if self.subnet and not self.fixed:
            raise ValueError("subnet is given but fixed is not; name the network that the subnet belongs to")
        return self


class ControlPlane(Strict):
    """The control plane's machines."""

    count: Literal[1, 3, 5, 7] = Field(1, description="Number of control-plane nodes; odd, for etcd's quorum.")
    flavor: str = Field(min_length=1, description="Nova flavor of the control-plane nodes.")


class Cluster(Strict):
    """The Magnum cluster."""

    name: Name = Field(description="Name of the cluster and of its template.")
    kubernetes: str = Field(pattern=VERSION, description="Kubernetes version; must be the one that the image carries.")
    control_plane: ControlPlane
    create_timeout: int = Field(60, ge=1, le=1440, description="Minutes that Magnum may take to create the cluster.")
    extra_labels: dict[str, str] = Field(
        default_factory=dict, description="Magnum labels passed on as they are, beside those that Magflow compiles."
    )


class Taint(Strict):
    """A taint of every node of a group."""

    key: LabelKey = Field(description="Taint key.")
    value: LabelValue = Field("", description="Taint value.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = Field(description="What pods without it may not.")


class NodeGroup(Strict):
    """Worker nodes of one kind."""

    flavor: str = Field(min_length=1, description="Nova flavor of the bare-metal nodes.")
    count: int = Field(ge=0, le=5000, description="Number of nodes.")
    min: int | None = Field(None, ge=0, description="Least number of nodes under autoscaling.")
    max: int | None = Field(None, ge=1, description="Greatest number of nodes under autoscaling.")
    gpus: int = Field(0, ge=0, le=64, description="GPUs of one node, as Kubernetes will see them (nvidia.com/gpu).")
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict, description="Labels of every node of the group.")
    taints: list[Taint] = Field(default_factory=list, description="Taints of every node of the group.")

    @model_validator(mode="after")
    def _count_in_range(self) -> NodeGroup:
        if self.min is not None and self.count < self.min:
            raise ValueError(f"count is {self.count}, below min {self.min}")
        if self.max is not None and self.count > self.max:
            raise ValueError(f"count is {self.count}, above max {self.max}")
        return self


class IngressHost(Strict):
    """One host of the suite's Ingress objects and the service that stands behind it when none is discovered."""

    name: str = Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", description="First label of the host name.")
    namespace: str = Field(description="Namespace of the Ingress object and of its service.")
    service: str = Field(description="Service used when none of the known ones is found in the cluster.")
    port: int = Field(80, ge=1, le=65535, description="Port of that service.")


class IngressNodes(Strict):
    """Which nodes take the traffic: one of the two keys."""

    group: str | None = Field(None, description="Every node of this node group.")
    pattern: str | None = Field(None, description="Nodes whose name fits this glob, for example '*-minion-0'.")

    @model_validator(mode="after")
    def _one_of(self) -> IngressNodes:
        if (self.group is None) == (self.pattern is None):
            raise ValueError("give exactly one of group and pattern")
        return self


class IngressHosts(Strict):
    """The four hosts of the article; each can be pointed elsewhere."""

    kubeflow: IngressHost = IngressHost(name="kubeflow", namespace="kubeflow", service="ambassador", port=80)
    tensorboard: IngressHost = IngressHost(name="tensorboard", namespace="kubeflow", service="tensorboard-tb", port=80)
    mnist: IngressHost = IngressHost(name="mnist", namespace="kubeflow", service="web-ui", port=80)
    grafana: IngressHost = IngressHost(
        name="grafana", namespace="monitoring", service="prometheus-operator-grafana", port=80
    )


class Ingress(Strict):
    """Hosts of the platform's services."""

    domain: str = Field(
        "nip.io",
        pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$",
        description="nip.io or sslip.io (the address is put into the name), or a domain of your own.",
    )
    style: Literal["dots", "dashes"] = Field("dots", description="How the address is written: 10.0.0.8 or 10-0-0-8.")
    nodes: Literal["first-worker"] | IngressNodes = Field(
        "first-worker", description="Which nodes take the traffic: first-worker, {group: NAME} or {pattern: GLOB}."
    )
    address_type: Literal["InternalIP", "ExternalIP"] = Field(
        "InternalIP", description="Node address that the host names carry."
    )
    class_name: str = Field("traefik", alias="class", description="IngressClass of the objects.")
    hosts: IngressHosts = IngressHosts()


class Training(Strict):
    """The Kubeflow training operator."""

    operator: str = Field("v1.9.4", pattern=VERSION, description="Release of the training operator (v1 API).")
    manifests: Path = Field(
        description="The operator's `manifests` folder (it holds base/ and overlays/); relative to this file."
    )
    namespace: Name = Field("kubeflow", description="Namespace that the operator runs in.")


class Smoke(Strict):
    """The training job that proves the platform."""

    image: str = Field("docker.io/library/python:3.12-slim", description="Image with python3; it needs no packages.")
    namespace: Name = Field("magflow-smoke", description="Namespace of the job.")
    name: Name = Field("smoke", description="Name of the job.")
    ps: int = Field(1, ge=0, le=8, description="Number of parameter servers.")
    workers: int = Field(2, ge=1, le=64, description="Number of workers.")
    gpus_per_worker: int = Field(0, ge=0, le=16, description="GPUs that each worker asks for.")


class Stages(Strict):
    """Which stages run; each can be switched off."""

    cluster: bool = Field(True, description="Cluster template, cluster and node groups.")
    node_pools: bool = Field(True, description="Labels and taints of the node groups.")
    training_operator: bool = Field(True, description="Training operator.")
    ingress: bool = Field(True, description="Ingress objects of the platform's hosts.")
    smoke: bool = Field(True, description="Training job that must succeed.")


class Settings(Strict):
    """Everything an operator decides about one environment."""

    cloud: Cloud
    image: Image
    network: Network
    keypair: str = Field(min_length=1, description="Nova keypair for the nodes; it must exist.")
    cluster: Cluster
    node_groups: dict[GroupName, NodeGroup] = Field(
        description=f"Worker nodes by group. {DEFAULT_WORKER} must be there: Magnum makes it with every cluster."
    )
    ingress: Ingress = Ingress()
    training: Training
    smoke: Smoke = Smoke()
    stages: Stages = Stages()

    @model_validator(mode="after")
    def _groups(self) -> Settings:
        if DEFAULT_WORKER not in self.node_groups:
            raise ValueError(
                f"node_groups has no '{DEFAULT_WORKER}'; Magnum makes that group with every cluster "
                "(its count may be 0)"
            )
        if not sum(group.count for group in self.node_groups.values()):
            raise ValueError("node_groups has no worker at all; at least one group needs a count of 1")
        wanted = self.ingress.nodes
        if isinstance(wanted, IngressNodes) and wanted.group and wanted.group not in self.node_groups:
            raise ValueError(f"ingress.nodes.group is '{wanted.group}', which is not one of node_groups")
        return self
