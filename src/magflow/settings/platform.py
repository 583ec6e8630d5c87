"""What runs in the cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from magflow.settings.base import RELEASE, VERSION, Cidr, Name, Strict


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
    controller: Literal["traefik", "nginx", "octavia"] | None = Field(
        None, description="Ingress controller that the cluster is to have; unset: none is asked of the driver."
    )
    allowed_cidrs: list[Cidr] = Field(
        default_factory=list, description="Who may reach ports 80 and 443; none: the ports are not opened."
    )
    hosts: IngressHosts = IngressHosts()


class Monitoring(Strict):
    """Prometheus and Grafana of the cluster."""

    enabled: bool = Field(False, description="Whether the driver is asked for its monitoring stack.")


class Kubeflow(Strict):
    """Kubeflow."""

    release: str | None = Field(
        None,
        pattern=RELEASE,
        description="Release that the cluster is to carry, such as v1.10.2 or 26.03; `magflow check` tells whether its "
        "Kubernetes fits. Unset: none.",
    )


class Training(Strict):
    """The Kubeflow training operator."""

    operator: str = Field("v1.9.4", pattern=VERSION, description="Release of the training operator (v1 API).")
    manifests: Path | None = Field(
        None,
        description="The operator's `manifests` folder (it holds base/ and overlays/); relative to this file. "
        "Needed by the stage training_operator.",
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

    image: bool = Field(True, description="Upload of the image, where `image.file` names one.")
    cluster: bool = Field(True, description="Cluster template, cluster and node groups.")
    node_pools: bool = Field(True, description="Labels and taints of the node groups.")
    training_operator: bool = Field(True, description="Training operator.")
    ingress: bool = Field(True, description="Ingress objects of the platform's hosts.")
    smoke: bool = Field(True, description="Training job that must succeed.")
