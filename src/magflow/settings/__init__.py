"""What an operator may decide. This is the only home of such defaults; the model is strict, so that a typo is an error.

The JSON schema in variables/schema.json and docs/settings.md are generated from here (`nox -s docs`).
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from magflow.settings.base import DEFAULT_WORKER, GroupName, Name, Strict
from magflow.settings.cloud import Backend, Cloud, Image, Network
from magflow.settings.cluster import Cluster, ControlPlane, FurtherCluster, NodeGroup, Taint
from magflow.settings.platform import Ingress, IngressHosts, IngressNodes, Kubeflow, Monitoring, Smoke, Stages, Training

__all__ = [
    "DEFAULT_WORKER",
    "Backend",
    "Cloud",
    "Cluster",
    "ControlPlane",
    "FurtherCluster",
    "Image",
    "Ingress",
    "IngressHosts",
    "IngressNodes",
    "Kubeflow",
    "Monitoring",
    "Network",
    "NodeGroup",
    "Settings",
    "Smoke",
    "Stages",
    "Taint",
    "Training",
]


class Settings(Strict):
    """Everything an operator decides about one environment."""

    cloud: Cloud
    image: Image
    network: Network
    keypair: str = Field(min_length=1, description="Nova keypair for the nodes.")
    public_key: Path | None = Field(
        None,
        description="Public key file to make the keypair from; relative to this file. Unset: the keypair is there.",
    )
    cluster: Cluster
    node_groups: dict[GroupName, NodeGroup] = Field(
        description=f"Worker nodes by group. {DEFAULT_WORKER} must be there: Magnum makes it with every cluster."
    )
    clusters: dict[Name, FurtherCluster] = Field(default_factory=dict, description="Further clusters by name.")
    ingress: Ingress = Ingress()
    monitoring: Monitoring = Monitoring()
    terraform: Backend = Backend()
    kubeflow: Kubeflow = Kubeflow()
    training: Training = Training()
    smoke: Smoke = Smoke()
    stages: Stages = Stages()

    def of_cluster(self, name: str) -> Settings:
        """These settings as they are for one cluster: `cluster`, `image` and `node_groups` are its own.

        Args:
            name: of `cluster` or one of `clusters`; for the former nothing changes.
        """
        if name == self.cluster.name:
            return self
        own = self.clusters[name]
        cluster = {
            "control_plane": own.control_plane,
            "create_timeout": own.create_timeout,
            "extra_labels": own.extra_labels,
            "kubernetes": own.kubernetes,
        }
        given = {key: value for key, value in cluster.items() if value is not None}
        return self.model_copy(
            update={
                "cluster": self.cluster.model_copy(update=given | {"name": name}),
                # by os_distro Magnum finds the driver, which all clusters of an environment share
                "image": Image(name=own.image, os_distro=self.image.os_distro) if own.image else self.image,
                "node_groups": own.node_groups or self.node_groups,
                "clusters": {},
            }
        )

    def path_of(self, name: str, path: str) -> str:
        """Where a cluster's value stands in the file: in its own part when that has it, else in what all share.

        Args:
            name: of the cluster.
            path: key path in the settings as they are for that cluster (`of_cluster`).
        """
        if name == self.cluster.name:
            return path
        own = self.clusters[name]
        part, _, rest = path.partition(".")
        if part == "cluster" and getattr(own, rest.partition(".")[0], None) is not None:
            return f"clusters.{name}.{rest}"
        if part == "node_groups" and own.node_groups is not None:
            return f"clusters.{name}.{path}"
        if part == "image" and own.image is not None:
            return f"clusters.{name}.image"
        return path

    def fewest(self, group: str) -> int:
        """Nodes that a node group has at least: an autoscaler may take it down to its `min`."""
        asked = self.node_groups[group]
        return asked.min if self.cluster.autoscaling and asked.min is not None else asked.count

    @property
    def cluster_names(self) -> tuple[str, ...]:
        """Every cluster of the environment; first the one that the platform's stages run on."""
        return (self.cluster.name, *self.clusters)

    @model_validator(mode="after")
    def _groups(self) -> Settings:
        _check_groups("node_groups", self.node_groups)
        for name, further in self.clusters.items():
            if name == self.cluster.name:
                raise ValueError(f"clusters.{name} has the name of `cluster`")
            if further.node_groups is not None:
                _check_groups(f"clusters.{name}.node_groups", further.node_groups)
        wanted = self.ingress.nodes
        if isinstance(wanted, IngressNodes) and wanted.group and wanted.group not in self.node_groups:
            raise ValueError(f"ingress.nodes.group is '{wanted.group}', which is not one of node_groups")
        return self


def _check_groups(path: str, groups: dict[str, NodeGroup]) -> None:
    if DEFAULT_WORKER not in groups:
        raise ValueError(
            f"{path} has no '{DEFAULT_WORKER}'; Magnum makes that group with every cluster (its count may be 0)"
        )
    if not sum(group.count for group in groups.values()):
        raise ValueError(f"{path} has no worker at all; at least one group needs a count of 1")
