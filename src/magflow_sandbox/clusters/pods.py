"""What a pod object says: small questions, pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from magflow_sandbox.clusters.api import Object


def key(pod: Object) -> str:
    """``namespace/name``."""
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def path(pod: Object) -> str:
    """Its path in the API."""
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def labels(pod: Object) -> dict[str, str]:
    """Its labels."""
    found: dict[str, str] = pod["metadata"].get("labels") or {}
    return found


def going(pod: Object) -> bool:
    """Whether it is being deleted."""
    return bool(pod["metadata"].get("deletionTimestamp"))


def ready(pod: Object) -> bool:
    """Whether it is Ready and not being deleted."""
    conditions = pod.get("status", {}).get("conditions") or []
    return not going(pod) and any(item["type"] == "Ready" and item["status"] == "True" for item in conditions)


def address(pod: Object) -> str | None:
    """Its address."""
    found: str | None = pod.get("status", {}).get("podIP")
    return found


def running_containers(pod: Object) -> list[Object]:
    """Containers that run while the pod is Ready: the ordinary ones and the init containers that stay (sidecars)."""
    stay = [item for item in pod["spec"].get("initContainers") or [] if item.get("restartPolicy") == "Always"]
    return [*pod["spec"]["containers"], *stay]


def tcp_ports(pod: Object) -> dict[int, Object]:
    """Declared TCP ports, each with its container."""
    return {
        port["containerPort"]: container
        for container in running_containers(pod)
        for port in container.get("ports") or []
        if port.get("protocol", "TCP") == "TCP"
    }


def mounted_secrets(pod: Object, container: Object) -> Iterator[tuple[str, str]]:
    """Names of the secrets that a container mounts whole, with where."""
    volumes: dict[str, Any] = {
        volume["name"]: volume["secret"]["secretName"]
        for volume in pod["spec"].get("volumes") or []
        if volume.get("secret", {}).get("secretName")
    }
    for mount in container.get("volumeMounts") or []:
        if mount["name"] in volumes and not mount.get("subPath"):
            yield volumes[mount["name"]], mount["mountPath"]
