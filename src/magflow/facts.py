"""What the cloud answered: the model of Terraform's `facts` output. It holds no secret."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from magflow.errors import MagflowError


class Answer(BaseModel):
    """A part of the facts; unknown keys are errors, so that the stack's outputs and this model cannot drift apart."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ClusterFacts(Answer):
    """The cluster: Magnum's id, its name, the URL of its API and its Kubernetes version."""

    id: str
    name: str
    api_address: str
    kubernetes: str


class NetworkFacts(Answer):
    """Ids or names of the networks that the template was given; None where the driver makes its own."""

    external: str
    fixed: str | None = None
    subnet: str | None = None


class NodeGroupFacts(Answer):
    """A node group as Magnum holds it."""

    id: str
    role: str
    flavor: str
    gpus: int
    count: int
    addresses: list[str] = []


class WholeCluster(ClusterFacts):
    """A cluster with what it was made from; `labels_sent` are those of its template."""

    template_id: str
    image_id: str
    labels_sent: dict[str, str]
    node_groups: dict[str, NodeGroupFacts]


class Facts(Answer):
    """What later stages may know of the cloud.

    Attributes:
        main: name of the environment's first cluster, which the platform's stages run on.
        clusters: every cluster by name.
        network: the networks that they stand in.
    """

    main: str
    clusters: dict[str, WholeCluster]
    network: NetworkFacts

    @property
    def cluster(self) -> WholeCluster:
        """The environment's first cluster."""
        return self.clusters[self.main]

    @property
    def node_groups(self) -> dict[str, NodeGroupFacts]:
        """Its node groups."""
        return self.cluster.node_groups

    @property
    def template_id(self) -> str:
        """Magnum's id of its template."""
        return self.cluster.template_id

    @property
    def image_id(self) -> str:
        """Id or name of its image."""
        return self.cluster.image_id

    @property
    def labels_sent(self) -> dict[str, str]:
        """The labels of its template."""
        return self.cluster.labels_sent

    @model_validator(mode="after")
    def _main_is_there(self) -> Facts:
        if self.main not in self.clusters:
            raise ValueError(f"there is no cluster '{self.main}' among {', '.join(self.clusters) or 'none'}")
        return self

    @classmethod
    def parse(cls, data: Any, where: str, main: str | None = None) -> Facts:
        """Facts from decoded JSON.

        Args:
            data: the decoded value of the `facts` output, or what was kept of it.
            where: what to name in an error.
            main: the first cluster's name, which Terraform does not know; None: it is in the data.

        Raises:
            MagflowError: when the value does not fit the model.
        """
        try:
            return cls.model_validate({**data, "main": main} if main and isinstance(data, dict) else data)
        except ValidationError as error:
            first = error.errors()[0]
            path = ".".join(str(part) for part in first["loc"])
            raise MagflowError(
                f"the stack's facts do not fit: {path}: {first['msg']}",
                where=where,
                hint="terraform/stacks and the magflow package are of different versions; use one checkout",
            ) from None
