"""The cloud, and what it is to have: image, networks, and where Terraform keeps its state."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, IPvAnyAddress, model_validator

from magflow.settings.base import KUBERNETES, Cidr, Driver, Name, Strict


class Cloud(Strict):
    """Which OpenStack cloud, and how it is spoken to."""

    name: str = Field(min_length=1, description="Entry of clouds.yaml that holds the credentials.")
    clouds_file: Path | None = Field(
        None,
        description="The clouds.yaml to read; relative to this file. Unset: the one that OS_CLIENT_CONFIG_FILE names, "
        "else the places that openstacksdk searches.",
    )
    magnum_release: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9.]+$",
        description="Release of Magnum: series (stein, 2026.1) or version (8.1.0, 22). Its API does not tell it.",
    )
    driver: Literal["auto"] | Driver = Field(
        "auto", description="Magnum's driver; auto: told from image.os_distro and magnum_release, else capi-helm."
    )
    management_kubeconfig: Path | None = Field(
        None,
        description="Kubeconfig of the Cluster API management cluster, for `magflow diagnose`, which only reads; "
        "relative to this file. Unset: its objects are not looked at.",
    )
    time_scale: float = Field(
        1.0, gt=0, le=100, description="Multiplies the time that checks wait for a result; raise it for slow machines."
    )
    machine_minutes: float | None = Field(
        None,
        gt=0,
        le=240,
        description="Minutes from asking for a machine to its node being Ready (Ironic: tens); unset: 3.",
    )


class Image(Strict):
    """The Glance image of the cluster's machines."""

    name: str = Field(
        min_length=1,
        description="Name or id of an image with the properties os_distro and (Cluster API drivers) kube_version.",
    )
    file: Path | None = Field(
        None, description="Image file to upload under that name; relative to this file. Unset: the image is there."
    )
    checksum: str | None = Field(
        None, pattern=r"^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$", description="Of `file`: sha256:... or sha512:..."
    )
    disk_format: Literal["qcow2", "raw"] = Field("qcow2", description="Format of `file`.")
    os_distro: str | None = Field(
        None,
        description="Property by which Magnum finds the driver: fedora-atomic, fedora-coreos, ubuntu, flatcar ... "
        "Needed with `file`; else it is compared with the image's.",
    )
    os_version: str | None = Field(
        None, description="Version of the operating system, such as 29 (Fedora Atomic) or 38.20230806.3.0 (CoreOS)."
    )
    kube_version: str | None = Field(
        None, pattern=KUBERNETES, description="Kubernetes version that the image carries (Cluster API drivers)."
    )

    @model_validator(mode="after")
    def _file_needs_more(self) -> Image:
        if self.file and not (self.checksum and self.os_distro):
            raise ValueError("file is given; checksum and os_distro must be given with it")
        return self


class Network(Strict):
    """The Neutron networks of the cluster."""

    external: str = Field(min_length=1, description="External network, for the API's floating IP and the router.")
    fixed: str | None = Field(None, description="Existing network for the nodes; unset: the driver makes one.")
    subnet: str | None = Field(None, description="Existing subnet of `fixed`; unset: its only one.")
    cidr: Cidr | None = Field(
        None, description="Range of a network, subnet and router that are made here for the nodes, in place of `fixed`."
    )
    dns: list[IPvAnyAddress] = Field(default_factory=list, description="Name servers of the nodes.")
    mtu: int | None = Field(
        None, ge=576, le=9216, description="MTU of the nodes' network, in bytes; unset: not looked at."
    )
    pods: Cidr | None = Field(None, description="Range of the pods; unset: the driver's default.")
    services: Cidr | None = Field(None, description="Range of the services; unset: the driver's default.")
    driver: Literal["calico", "cilium", "flannel"] = Field("calico", description="Network driver of the pods.")

    @model_validator(mode="after")
    def _subnet_needs_network(self) -> Network:
        if self.subnet and not self.fixed:
            raise ValueError("subnet is given but fixed is not; name the network that the subnet belongs to")
        if self.cidr and self.fixed:
            raise ValueError("give one of cidr (a network is made) and fixed (an existing one is used)")
        return self


class Backend(Strict):
    """Where Terraform's state lies."""

    backend: Literal["local", "pg"] = Field(
        "local", description="local: the run folder; pg: PostgreSQL, named by PG_CONN_STR in the environment."
    )
    schema_name: Name | None = Field(None, alias="schema", description="PostgreSQL schema; unset: named after ENV.")
    clusters_at_once: int = Field(
        3,
        ge=1,
        le=20,
        description="Clusters that are made, changed or destroyed at a time; where one of them has "
        "several node groups to change, everything goes one at a time.",
    )
