"""The Magnum cluster and its node groups."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from magflow.settings.base import KUBERNETES, Cidr, GroupName, LabelKey, LabelValue, Name, Strict


class ControlPlane(Strict):
    """The control plane's machines."""

    count: Literal[1, 3, 5, 7] = Field(1, description="Number of control-plane nodes; odd, for etcd's quorum.")
    flavor: str = Field(min_length=1, description="Nova flavor of the control-plane nodes.")


class LoadBalancer(Strict):
    """The load balancer before the control plane."""

    enabled: bool | None = Field(
        None, description="Whether there is one; unset: with more than one control-plane node."
    )
    floating_ip: bool | None = Field(None, description="Whether it has a floating IP; unset: the driver's default.")
    provider: str | None = Field(None, description="Octavia provider, such as amphora or ovn; unset: the cloud's own.")
    allowed_cidrs: list[Cidr] = Field(default_factory=list, description="Who may reach the API; none: everyone.")


class Proxy(Strict):
    """The proxy of the cluster's machines."""

    http: str = Field(pattern=r"^https?://[^@]+$", description="URL for http; without a password: Magnum shows it.")
    https: str = Field(pattern=r"^https?://[^@]+$", description="URL for https.")
    no_proxy: list[str] = Field(default_factory=list, description="Hosts, domains and ranges that go without it.")


class Volume(Strict):
    """A Cinder volume of every machine."""

    size: int = Field(ge=0, le=65536, description="GiB; 0: none.")
    type: str | None = Field(None, description="Volume type; unset: the cloud's default.")


class Volumes(Strict):
    """Cinder volumes. Bare-metal machines have none of them."""

    driver: Literal["cinder"] | None = Field(
        None, description="Volume driver of the template, for volumes of pods; unset: none, as bare metal wants it."
    )
    boot: Volume | None = Field(None, description="The machines boot from a volume of this size.")
    docker: Volume | None = Field(None, description="Where container images lie (Heat alone).")
    etcd: Volume | None = Field(None, description="Where etcd's data lie.")


class Tiller(Strict):
    """Helm 2's server in the cluster: Magnum 8 to 17 alone."""

    version: str | None = Field(
        None, pattern=r"^v2\.\d+\.\d+$", description="Its version; unset: the release's default."
    )


class Cluster(Strict):
    """The Magnum cluster."""

    name: Name = Field(description="Name of the cluster and of its template.")
    kubernetes: str = Field(
        pattern=KUBERNETES, description="Kubernetes version; with Cluster API drivers the one that the image carries."
    )
    server_type: Literal["vm", "bm"] = Field(
        "vm",
        description="Magnum's word for the machines; bare metal too is vm, with an Ironic flavor (bm: to Magnum 17).",
    )
    control_plane: ControlPlane
    create_timeout: int = Field(60, ge=1, le=1440, description="Minutes that Magnum may take to create the cluster.")
    load_balancer: LoadBalancer = LoadBalancer()
    autoscaling: bool = Field(
        False, description="Whether the driver's autoscaler runs; node groups then need min and max."
    )
    auto_healing: bool = Field(False, description="Whether the driver replaces broken nodes.")
    registry_mirror: str | None = Field(
        None,
        pattern=r"^[a-z0-9.:/_-]+[^/]$",
        description="Registry (and path) that the cluster's own images come from.",
    )
    proxy: Proxy | None = Field(None, description="Proxy of the machines; unset: none.")
    volumes: Volumes = Volumes()
    tiller: Tiller | None = Field(None, description="Helm 2's server; unset: none.")
    extra_labels: dict[str, str] = Field(
        default_factory=dict,
        description="Magnum labels of the template, passed on as they are, beside those that Magflow compiles.",
    )
    own_labels: dict[str, str] | None = Field(
        None,
        description="Labels of the cluster itself. Without merge_labels they take the place of all the template's.",
    )
    merge_labels: bool = Field(False, description="Whether own_labels are added to the template's.")


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


class FurtherCluster(Strict):
    """One more cluster of the environment. What is left out is as in `cluster`; the stages after it do not reach it."""

    kubernetes: str | None = Field(None, pattern=KUBERNETES, description="Kubernetes version.")
    image: str | None = Field(None, description="Name or id of an existing image with the same os_distro.")
    control_plane: ControlPlane | None = Field(None, description="The control plane's machines.")
    create_timeout: int | None = Field(None, ge=1, le=1440, description="Minutes that Magnum may take to create it.")
    extra_labels: dict[str, str] | None = Field(
        None, description="Magnum labels of its template, passed on as they are."
    )
    node_groups: dict[GroupName, NodeGroup] | None = Field(None, description="Its worker nodes by group.")
