"""Fake nodes of a cluster: what is wanted against what is there.

Usage::

    wanted = [Node("default-worker", "c-default-worker-0", address="10.0.0.20", capacity=Capacity(32, 128, gpus=4))]
    nodes.sync(api, wanted)          # creates what is missing, corrects capacities, deletes the rest with its pods
    nodes.ready(api)                 # names of the nodes that are Ready

Labels and taints that others put on a node stay; ours are set when the node is made and put back when they are gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from magflow_sandbox.clusters.api import Api, ApiError, Object
from magflow_sandbox.clusters.stages import UNWELL

GROUP_LABEL = "capi.stackhpc.com/node-group"
FAKE = ("kwok.x-k8s.io/node", "fake")
CONDITIONS = {
    "not-ready": {
        "status": "False",
        "reason": "KubeletNotReady",
        "message": "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
        "message:Network plugin returns error: cni plugin not initialized",
    },
    "dead": {
        "status": "Unknown",
        "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
    },
}
"""What a node's condition Ready says when its kubelet is not well: in the words of the kubelet, and of the controller
manager (which says it of a node whose lease runs out; kwok renews them all)."""
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"


@dataclass(frozen=True)
class Capacity:
    """What a machine has."""

    cpus: int
    memory: int  # GiB
    gpus: int = 0
    pods: int = 110

    def quantities(self) -> dict[str, str]:
        """As Kubernetes writes it."""
        gpus = {"nvidia.com/gpu": str(self.gpus)} if self.gpus else {}
        return {"cpu": str(self.cpus), "memory": f"{self.memory}Gi", "pods": str(self.pods), **gpus}


@dataclass(frozen=True)
class Node:
    """A node that should be there."""

    group: str
    name: str
    address: str
    capacity: Capacity
    provider_id: str = ""
    version: str = "v1.36.3"
    control_plane: bool = False
    labels: dict[str, str] = field(default_factory=dict)
    kubelet: str | None = None
    """What is wrong with it, a key of `CONDITIONS`."""

    def manifest(self) -> Object:
        """The object as it is created."""
        spec: dict[str, Any] = {"providerID": self.provider_id} if self.provider_id else {}
        if self.control_plane:
            spec["taints"] = [{"key": CONTROL_PLANE, "effect": "NoSchedule"}]
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": self.name, "labels": self.all_labels(), "annotations": self.annotations()},
            "spec": spec,
            "status": self.status(),
        }

    def annotations(self) -> dict[str, str]:
        """By which kwok knows it, and leaves it alone when its kubelet is not well."""
        return dict([FAKE]) | ({UNWELL: self.kubelet} if self.kubelet else {})

    def all_labels(self) -> dict[str, str]:
        """Those of every node, of its group, and its own."""
        role = {CONTROL_PLANE: ""} if self.control_plane else {}
        return {
            "kubernetes.io/hostname": self.name,
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            "beta.kubernetes.io/os": "linux",
            "beta.kubernetes.io/arch": "amd64",
            GROUP_LABEL: self.group,
            **role,
            **self.labels,
        }

    def status(self) -> Object:
        """Capacity, addresses and versions; kwok adds the conditions."""
        return {
            "capacity": self.capacity.quantities(),
            "allocatable": self.capacity.quantities(),
            "addresses": [
                {"type": "InternalIP", "address": self.address},
                {"type": "Hostname", "address": self.name},
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": "",
                "containerRuntimeVersion": "containerd://2.1.0",
                "kernelVersion": "6.8.0-sandbox",
                "kubeProxyVersion": "",
                "kubeletVersion": self.version,
                "machineID": "",
                "operatingSystem": "linux",
                "osImage": "sandbox (fake node)",
                "systemUUID": "",
            },
        }


def sync(api: Api, wanted: Iterable[Node]) -> bool:
    """Bring the fake nodes to what is wanted; other nodes are left alone. Returns whether anything was changed.

    Raises:
        ApiError: the API server refused.
    """
    missing = {node.name: node for node in wanted}
    changed = False
    surplus = []
    for found in api.all("/api/v1/nodes"):
        if found["metadata"].get("annotations", {}).get(FAKE[0]) != FAKE[1]:
            continue
        node = missing.pop(found["metadata"]["name"], None)
        if node is None:
            surplus.append(found["metadata"]["name"])
        else:
            changed |= _correct(api, node, found)
    for node in missing.values():
        try:
            api.create("/api/v1/nodes", node.manifest())
        except ApiError as error:
            if error.code != 409:  # somebody else made it meanwhile
                raise
        changed = True
        _say(api, node, {})
    remove(api, surplus)
    return changed or bool(surplus)


def remove(api: Api, names: Collection[str]) -> None:
    """Delete nodes and, as machines that are gone cannot end them, their pods at once."""
    if not names:
        return
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(lambda name: api.delete(f"/api/v1/nodes/{name}"), names))
        pods = [pod["metadata"] for pod in api.all("/api/v1/pods") if pod["spec"].get("nodeName") in names]
        paths = [f"/api/v1/namespaces/{pod['namespace']}/pods/{pod['name']}" for pod in pods]
        list(pool.map(lambda path: api.delete(path, gracePeriodSeconds=0), paths))


def forget_holder(api: Api) -> None:
    """Delete the leases of nodes, before kwok is started anew.

    They name the kwok that held them; its successor would leave every node and pod alone until they run out (40 s).
    """
    api.delete("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases")


def pod_addresses(api: Api) -> set[str]:
    """Addresses of all pods."""
    return {pod["status"]["podIP"] for pod in api.all("/api/v1/pods") if pod.get("status", {}).get("podIP")}


def ready(api: Api) -> set[str]:
    """Names of the nodes that are Ready."""
    return {
        node["metadata"]["name"]
        for node in api.all("/api/v1/nodes")
        for condition in node.get("status", {}).get("conditions") or []
        if condition["type"] == "Ready" and condition["status"] == "True"
    }


def _correct(api: Api, node: Node, found: Object) -> bool:
    path = f"/api/v1/nodes/{node.name}"
    changed = False
    if found["metadata"]["annotations"].get(UNWELL) != node.kubelet:
        api.patch(path, {"metadata": {"annotations": {UNWELL: node.kubelet}}}, "merge")
        changed = True
    changed |= _say(api, node, found)
    have = found["metadata"].get("labels", {})
    labels = {key: value for key, value in node.all_labels().items() if key not in have}
    if labels:
        api.patch(path, {"metadata": {"labels": labels}}, "merge")
        changed = True
    status = node.status()
    if any(found.get("status", {}).get(key) != status[key] for key in ("capacity", "allocatable", "addresses")):
        api.patch(f"{path}/status", {"status": status}, "merge")
        changed = True
    return changed


def _say(api: Api, node: Node, found: Object) -> bool:
    """Write what is said of a node whose kubelet is not well. Returns whether it was not said yet."""
    if node.kubelet is None:
        return False
    wanted = {"type": "Ready", **CONDITIONS[node.kubelet]}
    for have in found.get("status", {}).get("conditions") or []:
        if have["type"] == "Ready" and have["status"] == wanted["status"] and have["reason"] == wanted["reason"]:
            return False
    api.patch(f"/api/v1/nodes/{node.name}/status", {"status": {"conditions": [wanted]}}, "strategic")
    return True
