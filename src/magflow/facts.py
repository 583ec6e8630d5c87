"""What the cloud answered: the model of Terraform's `facts` output. It holds no secret."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

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


class Facts(Answer):
    """What later stages may know of the cloud."""

    cluster: ClusterFacts
    template_id: str
    image_id: str
    network: NetworkFacts
    node_groups: dict[str, NodeGroupFacts]
    labels_sent: dict[str, str]

    @classmethod
    def parse(cls, data: Any, where: str) -> Facts:
        """Facts from decoded JSON.

        Args:
            data: the decoded value of the `facts` output.
            where: what to name in an error.

        Raises:
            MagflowError: when the value does not fit the model.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            path = ".".join(str(part) for part in first["loc"])
            raise MagflowError(
                f"the stack's facts do not fit: {path}: {first['msg']}",
                where=where,
                hint="terraform/stacks and the magflow package are of different versions; use one checkout",
            ) from None
