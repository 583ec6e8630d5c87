"""The stages that kwok plays: its own for nodes and pods, and ours for the replicas of training jobs.

Kwok leaves alone the pods that stand for real programs, and nodes whose kubelet is not well: the stages get exceptions
for their labels and annotation.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

FROM_KWOK = ("node/fast", "node/heartbeat-with-lease", "pod/fast")
OURS = Path(__file__).parent
UNWELL = "sandbox.magflow.io/kubelet"
"""Annotation of a node whose status kwok is not to keep; its values are those of `nodes.CONDITIONS`."""


def documents(kwok: Path, real: Mapping[str, str]) -> list[dict[str, Any]]:
    """All stages.

    Args:
        kwok: data folder of kwok's module.
        real: labels (key, value) of pods that are left alone.
    """
    files = [path for part in FROM_KWOK for path in sorted((kwok / "kustomize" / "stage" / part).glob("*.yaml"))]
    found = []
    for path in [*files, *sorted(OURS.glob("*.yaml"))]:
        found += [document for document in yaml.safe_load_all(path.read_text()) if document.get("kind") == "Stage"]
    for stage in found:
        if stage["spec"]["resourceRef"]["kind"] == "Pod":
            stage["spec"]["selector"]["matchExpressions"] += [_not(key, value) for key, value in real.items()]
        if stage["spec"]["resourceRef"]["kind"] == "Node":
            well = {"key": f'.metadata.annotations["{UNWELL}"]', "operator": "DoesNotExist"}
            stage["spec"]["selector"]["matchExpressions"].append(well)
    return found


def text(kwok: Path, real: Mapping[str, str]) -> str:
    """All stages as one configuration file of kwok."""
    return yaml.safe_dump_all(documents(kwok, real), sort_keys=False)


def _not(key: str, value: str) -> dict[str, Any]:
    return {"key": f'.metadata.labels["{key}"]', "operator": "NotIn", "values": [value]}
