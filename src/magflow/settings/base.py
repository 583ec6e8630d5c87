"""What all parts of the settings share: the strict model, and the types of names, labels and versions."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

NAME = r"^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$"
VERSION = r"^v1\.\d+\.\d+$"
RELEASE = r"^v?\d+\.\d+(\.\d+)?$"
KUBERNETES = r"^v1\.\d+\.\d+(-[a-z0-9.]+)?$"
CIDR = r"^[0-9a-fA-F.:]+/\d{1,3}$"
GROUP = r"^[a-z]([a-z0-9-]{0,17}[a-z0-9])?$"
LABEL_KEY = r"^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$"
LABEL_VALUE = r"^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$"


def _network(text: str) -> str:
    ip_network(text)  # its own words name what is wrong
    return text


Name = Annotated[str, Field(pattern=NAME)]
GroupName = Annotated[str, Field(pattern=GROUP)]
LabelKey = Annotated[str, Field(pattern=LABEL_KEY)]
LabelValue = Annotated[str, Field(pattern=LABEL_VALUE)]
Cidr = Annotated[str, Field(pattern=CIDR), AfterValidator(_network)]
Driver = Literal["heat", "capi-helm", "cluster-api"]
"""Magnum's Kubernetes drivers: in-tree on Heat (to release 22), magnum-capi-helm, and vexxhost's magnum-cluster-api."""

DEFAULT_WORKER = "default-worker"
"""Magnum makes this group with every cluster (Magnum user guide, "Node groups")."""


class Strict(BaseModel):
    """A part of the settings: frozen, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
