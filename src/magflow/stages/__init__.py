"""The stages of the pipeline, in order. One file a stage, data only."""

from __future__ import annotations

from magflow.errors import CannotTell
from magflow.settings import Settings
from magflow.stages.cluster import CLUSTER
from magflow.stages.image import IMAGE
from magflow.stages.ingress import INGRESS
from magflow.stages.model import Stage
from magflow.stages.node_pools import NODE_POOLS
from magflow.stages.smoke import SMOKE
from magflow.stages.training_operator import TRAINING_OPERATOR

STAGES: tuple[Stage, ...] = (IMAGE, CLUSTER, NODE_POOLS, TRAINING_OPERATOR, INGRESS, SMOKE)


def enabled(settings: Settings) -> tuple[Stage, ...]:
    """The stages that the settings switch on, in order."""
    return tuple(stage for stage in STAGES if getattr(settings.stages, stage.name) and stage.asked(settings))


def named(name: str) -> Stage:
    """The stage of that name.

    Raises:
        CannotTell: there is none.
    """
    for stage in STAGES:
        if stage.name == name:
            return stage
    raise CannotTell(f"there is no stage '{name}'", hint=f"stages: {', '.join(stage.name for stage in STAGES)}")
