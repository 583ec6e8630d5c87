"""Compiles what the settings ask for into Magnum labels for one driver and release."""

from __future__ import annotations

from magflow.rules.driver import target
from magflow.rules.label_model import Compiled, Label, Replaced
from magflow.settings import Settings

__all__ = ["Compiled", "Label", "Replaced", "compile"]


def compile(settings: Settings) -> Compiled:
    """The labels and template attributes of one cluster.

    Args:
        settings: of that cluster (`Settings.of_cluster`).
    """
    found = target(settings)
    template = dict(sorted(settings.cluster.extra_labels.items()))
    labels = tuple(
        Label(key, value, "given in extra_labels", "settings", f"cluster.extra_labels.{key}")
        for key, value in template.items()
    )
    return Compiled(
        found,
        labels,
        template,
        settings.cluster.own_labels,
        settings.cluster.merge_labels,
        template,
        {"network_driver": settings.network.driver},
    )
