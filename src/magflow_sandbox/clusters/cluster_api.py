"""The Cluster API's objects: where they are, what is in them, and the states that the Magnum driver reads. Pure.

The driver (magnum-capi-helm 1.4.0) takes a cluster for complete when the Cluster has the conditions
InfrastructureReady, ControlPlaneReady and Ready, the KubeadmControlPlane has MachinesReady, Ready, EtcdClusterHealthy
and ControlPlaneComponentsHealthy and equal counts of replicas, every MachineDeployment has the phase Running, and
every addon (by label) the phase Deployed. The functions here say so only of what was seen to be so.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from magflow_sandbox.faults.reasons import Reason

Object = dict[str, Any]

COLLECTIONS = {
    "Cluster": "cluster.x-k8s.io/v1beta1/clusters",
    "Machine": "cluster.x-k8s.io/v1beta1/machines",
    "MachineDeployment": "cluster.x-k8s.io/v1beta1/machinedeployments",
    "KubeadmControlPlane": "controlplane.cluster.x-k8s.io/v1beta1/kubeadmcontrolplanes",
    "OpenStackCluster": "infrastructure.cluster.x-k8s.io/v1beta1/openstackclusters",
    "OpenStackMachineTemplate": "infrastructure.cluster.x-k8s.io/v1beta1/openstackmachinetemplates",
    "Manifests": "addons.stackhpc.com/v1alpha1/manifests",
}
FINALIZERS = {
    "Cluster": "cluster.cluster.x-k8s.io",
    "Machine": "machine.cluster.x-k8s.io",
    "KubeadmControlPlane": "kubeadm.controlplane.cluster.x-k8s.io",
    "OpenStackCluster": "openstackcluster.infrastructure.cluster.x-k8s.io",
}
CLUSTER_LABEL = "cluster.x-k8s.io/cluster-name"
CONTROL_PLANE_LABEL = "cluster.x-k8s.io/control-plane"
GROUP_LABEL = "capi.stackhpc.com/node-group"
MINIMUM = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"
CONTROL_PLANE = "control-plane"
"""What stands for the group in names of control plane nodes."""


def path(kind: str, namespace: str = "", name: str = "") -> str:
    """Path of a collection (of all namespaces, or of one) or of an object."""
    group, version, plural = COLLECTIONS[kind].split("/")
    inside = f"/namespaces/{namespace}" if namespace else ""
    return f"/apis/{group}/{version}{inside}/{plural}" + (f"/{name}" if name else "")


def path_of(item: Object) -> str:
    """Path of an object that says what it is."""
    return path(item["kind"], item["metadata"]["namespace"], item["metadata"]["name"])


@dataclass
class View:
    """One cluster with everything that belongs to it, as it was listed; empty is what is not there (yet)."""

    cluster: Object
    infrastructure: Object = field(default_factory=dict)
    control_plane: Object = field(default_factory=dict)
    deployments: list[Object] = field(default_factory=list)
    templates: dict[str, Object] = field(default_factory=dict)
    machines: list[Object] = field(default_factory=list)
    manifests: list[Object] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Of the cluster; the driver calls it stack_id."""
        return str(self.cluster["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Of all its objects; one an OpenStack project."""
        return str(self.cluster["metadata"]["namespace"])

    @property
    def deleting(self) -> bool:
        """Whether it is to go."""
        return "deletionTimestamp" in self.cluster["metadata"]

    def ranges(self, what: str, default: str) -> str:
        """First range of `pods` or `services`."""
        blocks = self.cluster["spec"].get("clusterNetwork", {}).get(what, {}).get("cidrBlocks") or [default]
        return str(blocks[0])

    def machines_of(self, group: str) -> list[Object]:
        """Machines of a node group, or of the control plane."""
        return [machine for machine in self.machines if group_of(machine) == group]


def views(listed: Mapping[str, Sequence[Object]]) -> list[View]:
    """Put listed objects (kind -> all of them) together by cluster."""
    found = {}
    for cluster in listed["Cluster"]:
        metadata = cluster["metadata"]
        view = View(cluster)

        def own(kind: str, place: tuple[str, str] = (metadata["namespace"], metadata["name"])) -> list[Object]:
            return [item for item in listed[kind] if _place(item) == place]

        view.infrastructure = next(iter(own("OpenStackCluster")), {})
        view.control_plane = next(iter(own("KubeadmControlPlane")), {})
        view.deployments, view.machines, view.manifests = own("MachineDeployment"), own("Machine"), own("Manifests")
        view.templates = {item["metadata"]["name"]: item for item in own("OpenStackMachineTemplate")}
        found[_place(cluster, metadata["name"])] = view
    return list(found.values())


def _place(item: Object, name: str | None = None) -> tuple[str, str]:
    metadata = item["metadata"]
    return metadata["namespace"], name or metadata.get("labels", {}).get(CLUSTER_LABEL, "")


def group_of(item: Object) -> str:
    """Node group of a Machine or MachineDeployment; `control-plane` for those of the control plane."""
    labels = item["metadata"].get("labels", {})
    return CONTROL_PLANE if CONTROL_PLANE_LABEL in labels else str(labels.get(GROUP_LABEL, ""))


def wanted_replicas(owner: Object) -> int:
    """Replicas of a MachineDeployment or control plane; an automatically scaled group starts with its minimum."""
    replicas = owner["spec"].get("replicas")
    if replicas is None:
        replicas = owner["metadata"].get("annotations", {}).get(MINIMUM, 1)
    return int(replicas)


def condition(kind: str, *, true: bool, reason: str = "", message: str = "") -> Object:
    """A condition without its time; `conditions` adds it."""
    found: Object = {"type": kind, "status": "True" if true else "False"}
    if not true:
        found |= {"severity": "Info", "reason": reason or "Waiting"} | ({"message": message} if message else {})
    return found


def conditions(now: Iterable[Object], before: Iterable[Object], clock: datetime.datetime) -> list[Object]:
    """Conditions with the time of their last change of status kept where it did not change."""
    times = {(old["type"], old["status"]): old["lastTransitionTime"] for old in before}
    stamp = clock.strftime("%Y-%m-%dT%H:%M:%SZ")
    return [{**new, "lastTransitionTime": times.get((new["type"], new["status"]), stamp)} for new in now]


def deployment_status(
    deployment: Object, machines: int, ready: int, failure: str | None = None, *, old: int = 0
) -> Object:
    """Status of a MachineDeployment.

    While machines are replaced, the phase is what Cluster API says: Running as often as the wanted number is ready, and
    none while there is one more.

    Args:
        machines: how many machines there are, those that are being deleted included.
        ready: how many of their nodes are Ready.
        failure: why it can never come up.
        old: how many machines are of another template or version.
    """
    wanted = wanted_replicas(deployment)
    phase: str | None
    if failure:
        phase = "Failed"
    elif old:
        phase = "ScalingUp" if ready < wanted else "Running" if ready == wanted else None
    elif machines > wanted:
        phase = "ScalingDown"
    elif machines < wanted or ready < wanted:
        phase = "ScalingUp"
    else:
        phase = "Running"
    whole = phase == "Running" or bool(old and ready >= wanted)
    message = failure or f"{ready} of {wanted} machines ready"
    return {
        "observedGeneration": deployment["metadata"]["generation"],
        "phase": phase,
        "replicas": machines,
        "updatedReplicas": machines - old,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": max(0, wanted - ready),
        "conditions": [
            condition(kind, true=whole, reason=phase or "", message=message) for kind in ("Ready", "Available")
        ],
    }


def control_plane_status(
    control_plane: Object, machines: int, ready: int, problem: str, failure: str | None = None, *, old: int = 0
) -> Object:
    """Status of a KubeadmControlPlane.

    Args:
        machines: how many machines there are.
        ready: how many of their nodes are Ready.
        problem: what is waited for; empty when the API server, and with it etcd, says that it is ready.
        failure: why it can never come up.
        old: how many machines are of another template or version.
    """
    wanted, healthy = wanted_replicas(control_plane), not problem
    nodes = machines == ready == wanted and not old
    rolling = f"Rolling {old} replicas with outdated spec ({machines - old} replicas up to date)" if old else ""
    waiting = problem or rolling or f"{ready} of {wanted} control plane machines ready"
    reason = "Failed" if failure else "Waiting"
    says: Object = {
        "observedGeneration": control_plane["metadata"]["generation"],
        "initialized": healthy or bool(control_plane.get("status", {}).get("initialized")),
        "ready": healthy,
        "replicas": machines,
        "updatedReplicas": machines - old,
        "readyReplicas": ready if healthy else 0,
        "unavailableReplicas": 0 if healthy and nodes else max(0, wanted - ready) or wanted,
        "failureReason": "UnsupportedChange" if failure else None,
        "failureMessage": failure,
        "conditions": [
            condition("MachinesReady", true=nodes, reason=reason, message=failure or waiting),
            condition("EtcdClusterHealthy", true=healthy, reason=reason, message=failure or waiting),
            condition("ControlPlaneComponentsHealthy", true=healthy, reason=reason, message=failure or waiting),
            condition("Ready", true=healthy and nodes, reason=reason, message=failure or waiting),
        ],
    }
    if healthy and not old:  # it is the lowest of its machines'
        says["version"] = control_plane["spec"]["version"]
    return says


def cluster_status(cluster: Object, infrastructure: str | None, control_plane: str | None) -> Object:
    """Status of a Cluster.

    Args:
        infrastructure: why it is not ready, None when it is.
        control_plane: why it is not ready, None when it is.
    """
    ready = infrastructure is None and control_plane is None
    parts = [("InfrastructureReady", infrastructure), ("ControlPlaneReady", control_plane)]
    said = [condition(kind, true=not message, message=message or "") for kind, message in parts]
    said.append(condition("Ready", true=ready, message=infrastructure or control_plane or ""))
    return {
        "observedGeneration": cluster["metadata"]["generation"],
        # Cluster API keeps the phase once provisioned; what is wrong later is in the conditions
        "phase": "Provisioned" if infrastructure is None else "Provisioning",
        "infrastructureReady": infrastructure is None,
        "controlPlaneReady": control_plane is None,
        "conditions": said,
    }


def failed_machine_status(machine: Object, reason: Reason) -> Object:
    """Status of a Machine whose server could not be made."""
    name = machine["metadata"]["name"]
    kind = "infrastructure.cluster.x-k8s.io/v1beta1, Kind=OpenStackMachine"
    text = f'Failure detected from referenced resource {kind} with name "{name}": {reason.text}'
    failed = {"type": "InfrastructureReady", "status": "False", "severity": "Error", "reason": reason.condition}
    return {
        "phase": "Failed" if reason.fatal else "Provisioning",
        "bootstrapReady": True,
        "infrastructureReady": False,
        "nodeRef": None,
        "failureReason": "UpdateError" if reason.fatal else None,
        "failureMessage": text if reason.fatal else None,
        "conditions": [
            {**failed, "message": reason.text},
            {**failed, "type": "Ready", "message": reason.text},
            condition("NodeHealthy", true=False, reason="WaitingForNodeRef"),
        ],
    }


def changed(obj: Object, status: Object, clock: datetime.datetime) -> Object | None:
    """The status to write, with times, or None when the object says the same already."""
    before = obj.get("status") or {}
    said = dict(status)
    if "conditions" in said:
        said["conditions"] = conditions(said["conditions"], before.get("conditions") or [], clock)
    same = all(before.get(key) == value for key, value in said.items())
    return None if same else said
