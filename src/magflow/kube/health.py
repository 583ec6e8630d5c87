"""Whether a cluster's own API answers, and how its nodes are, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from magflow.errors import MagflowError
from magflow.kube.client import Kube
from magflow.kube.nodes import group_of, is_control_plane, is_ready, name, natural

PATIENCE = 10.0
"""Seconds that an API server may take to answer; one that starts or is flooded takes longer and counts as silent."""


def look(kube: Kube, groups: Iterable[str], cluster: str) -> dict[str, Any]:
    """Asks the API for its health and its nodes.

    Args:
        kube: the cluster.
        groups: names of its node groups.
        cluster: what names of its nodes begin with.

    Returns:
        reached, address, healthz, error, and nodes: name, group (`control-plane` for those), ready, reason. Nothing is
        raised: what went wrong is in `error`.
    """
    seen: dict[str, Any] = {"reached": False, "address": kube.host, "healthz": "", "error": "", "nodes": []}
    known = list(groups)
    try:
        seen["healthz"] = _failing(str(kube.call("GET", "/healthz", timeout=PATIENCE)))
        seen["reached"] = True
        nodes = kube.nodes()
    except MagflowError as error:
        seen["error"] = error.what
        return seen
    seen["nodes"] = [
        {
            "name": name(node),
            "group": "control-plane" if is_control_plane(node) else group_of(node, known, cluster) or "",
            "ready": is_ready(node),
            "reason": _reason(node),
        }
        for node in sorted(nodes, key=natural)
    ]
    return seen


def _failing(said: str) -> str:
    """`ok`, or the checks of /healthz that fail: the server then lists every check on a line of its own."""
    failing = [line.removeprefix("[-]") for line in said.splitlines() if line.startswith("[-]")]
    return ", ".join(failing) if failing else " ".join(said.split())[:200]


def _reason(node: dict[str, Any]) -> str:
    conditions = (node.get("status") or {}).get("conditions") or []
    found: dict[str, Any] = next((item for item in conditions if item["type"] == "Ready"), {})
    return "" if found.get("status") == "True" else f"{found.get('reason', '')}: {found.get('message', '')}".strip(": ")
