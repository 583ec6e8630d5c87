"""Machines of a cluster: as many as its control plane and MachineDeployments want, each with a port and a node."""

from __future__ import annotations

import datetime
import secrets
import string
import uuid
from collections.abc import Callable, Mapping

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters.api import Api
from magflow_sandbox.clusters.cluster_api import Object, View
from magflow_sandbox.clusters.nodes import Capacity, Node
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.reasons import Reason

SUFFIX = string.ascii_lowercase + string.digits
NAME_LIMIT = 63
"""Characters of a node's name: it is also a label's value."""
FLAVOR = "sandbox.magflow.io/flavor"
"""Annotation of a machine: its flavor."""
SURGE = 1

Address = Callable[[Object], str]


class Machines:
    """Makes and deletes the Machine objects of one cluster.

    Args:
        api: the management API.
    """

    def __init__(self, api: Api) -> None:
        self.api = api
        self._capacities: dict[str, Capacity] = {}

    def scale(self, view: View) -> None:
        """Create what is missing, mark for deletion what is too much (the newest) or of a group that is gone.

        Machines of another template or version than their owner's are replaced one by one, as a rolling update with
        Cluster API's defaults does it: first another one more, then, when its node is Ready, an old one less.
        """
        owners = {capi.group_of(item): item for item in view.deployments}
        if view.control_plane:
            owners[capi.CONTROL_PLANE] = view.control_plane
        for machine in list(view.machines):
            if capi.group_of(machine) not in owners and not _deleting(machine):
                self._delete(machine)
        for group, owner in owners.items():
            present = [machine for machine in view.machines_of(group) if not _deleting(machine)]
            old = [machine for machine in present if outdated(machine, owner)]
            wanted, new = capi.wanted_replicas(owner), len(present) - len(old)
            room = wanted - new if not old else min(wanted - new, wanted + SURGE - len(present))
            made = [self._create(view, owner, group) for _ in range(room)]
            view.machines += made
            for machine in self._surplus(present, old, wanted) if not made else []:
                self._delete(machine)

    def address(self, view: View, port: Address) -> None:
        """Give every machine that has none its address.

        Args:
            port: makes a machine's port and returns its address.
        """
        for machine in view.machines:
            if not _deleting(machine) and not address_of(machine):
                address = port(machine)
                said = {"addresses": [{"type": "InternalIP", "address": address}], "phase": "Provisioned"}
                machine["status"] = {**machine.get("status", {}), **said, "infrastructureReady": True}
                self._status(machine, machine["status"])

    def nodes(self, view: View, capacity: Callable[[str], Capacity]) -> list[Node]:
        """The nodes that the machines stand for.

        Args:
            capacity: what a machine of a flavor has; asked once for each flavor.
        """
        wanted = []
        for machine in view.machines:
            address = address_of(machine)
            if address and not _deleting(machine):
                group = capi.group_of(machine)
                node = Node(
                    group=group,
                    name=machine["metadata"]["name"],
                    address=address,
                    capacity=self._capacity(view, machine, capacity),
                    provider_id=machine["spec"]["providerID"],
                    version=machine["spec"]["version"],
                    control_plane=group == capi.CONTROL_PLANE,
                )
                wanted.append(node)
        return wanted

    def report(
        self, view: View, ready: set[str], clock: datetime.datetime, failed: Mapping[str, Reason] | None = None
    ) -> None:
        """Write each machine's status: Running only while its node is Ready.

        Args:
            failed: machines that could not be made, and why.
        """
        for machine in view.machines:
            name = machine["metadata"]["name"]
            if _deleting(machine) or not address_of(machine):
                continue
            if failed and name in failed:
                change = capi.changed(machine, capi.failed_machine_status(machine, failed[name]), clock)
                if change:
                    self._status(machine, change)
                continue
            up = name in ready
            said: Object = {
                "phase": "Running" if up else "Provisioned",
                "bootstrapReady": True,
                "infrastructureReady": True,
                "failureReason": None,
                "failureMessage": None,
                "nodeRef": {"apiVersion": "v1", "kind": "Node", "name": name} if up else None,
                "conditions": [
                    capi.condition(kind, true=up, reason="NodeNotReady", message="the node is not Ready")
                    for kind in ("Ready", "NodeHealthy")
                ]
                + [capi.condition("InfrastructureReady", true=True)],
            }
            change = capi.changed(machine, said, clock)
            if change:
                self._status(machine, change)

    def finish(self, view: View, release: Callable[[str], None]) -> None:
        """Let the machines go that are being deleted, and whose nodes are gone.

        Args:
            release: deletes what a machine has in the cloud.
        """
        for machine in list(view.machines):
            if _deleting(machine):
                release(machine["metadata"]["name"])
                self.api.patch_if_there(capi.path_of(machine), {"metadata": {"finalizers": None}})
                view.machines.remove(machine)

    def delete_all(self, view: View) -> None:
        """Delete every machine, when the whole cluster goes."""
        for machine in view.machines:
            if not _deleting(machine):
                self._delete(machine)
            self.api.patch_if_there(capi.path_of(machine), {"metadata": {"finalizers": None}})

    def _surplus(self, present: list[Object], old: list[Object], wanted: int) -> list[Object]:
        """The machines that may go now."""
        if not old:
            return sorted(present, key=_age, reverse=True)[: max(0, len(present) - wanted)]
        running = [machine for machine in present if machine.get("status", {}).get("nodeRef")]
        useless = [machine for machine in old if machine not in running]
        spare = max(0, len(running) - wanted)
        return useless + [machine for machine in sorted(old, key=_age) if machine in running][:spare]

    def _create(self, view: View, owner: Object, group: str) -> Object:
        reference, version = _wanted(owner)
        suffix = "".join(secrets.choice(SUFFIX) for _ in range(5))
        name = f"{f'{view.name}-{group}'[: NAME_LIMIT - 6]}-{suffix}"
        labels = {
            capi.CLUSTER_LABEL: view.name,
            "capi.stackhpc.com/cluster": view.name,
            "capi.stackhpc.com/component": group if group == capi.CONTROL_PLANE else "worker",
            **({capi.CONTROL_PLANE_LABEL: ""} if group == capi.CONTROL_PLANE else {capi.GROUP_LABEL: group}),
        }
        machine = {
            "apiVersion": "cluster.x-k8s.io/v1beta1",
            "kind": "Machine",
            "metadata": {
                "name": name,
                "labels": labels,
                # the template goes before its machines do
                "annotations": {FLAVOR: _flavor(view, reference["name"])},
                "finalizers": [capi.FINALIZERS["Machine"]],
            },
            "spec": {
                "clusterName": view.name,
                "version": version,
                "bootstrap": {},
                "providerID": f"openstack:///{uuid.uuid4()}",
                "infrastructureRef": {**reference, "namespace": view.namespace},
            },
        }
        return self.api.create(capi.path("Machine", view.namespace), machine)

    def _capacity(self, view: View, machine: Object, ask: Callable[[str], Capacity]) -> Capacity:
        known = machine["metadata"].get("annotations", {}).get(FLAVOR)
        flavor = known or _flavor(view, machine["spec"]["infrastructureRef"]["name"])
        if flavor not in self._capacities:
            self._capacities[flavor] = ask(flavor)
        return self._capacities[flavor]

    def _delete(self, machine: Object) -> None:
        self.api.delete(capi.path_of(machine))
        machine["metadata"]["deletionTimestamp"] = "now"

    def _status(self, machine: Object, status: Object) -> None:
        self.api.patch_if_there(capi.path_of(machine) + "/status", {"status": status})


def address_of(machine: Object) -> str | None:
    """A machine's address, None while it has none."""
    found = machine.get("status", {}).get("addresses") or []
    return str(found[0]["address"]) if found else None


def outdated(machine: Object, owner: Object) -> bool:
    """Whether a machine was made by another template or for another version than its owner has now."""
    reference, version = _wanted(owner)
    spec = machine["spec"]
    return bool(spec["infrastructureRef"]["name"] != reference["name"] or spec["version"] != version)


def _wanted(owner: Object) -> tuple[Object, str]:
    """Reference to the template, and version, of a MachineDeployment's or control plane's machines."""
    spec = owner["spec"]
    if "machineTemplate" in spec:
        return spec["machineTemplate"]["infrastructureRef"], spec["version"]
    return spec["template"]["spec"]["infrastructureRef"], spec["template"]["spec"]["version"]


def _flavor(view: View, template: str) -> str:
    if template not in view.templates:
        raise SandboxError(f"template {template} is not there (yet)")
    return str(view.templates[template]["spec"]["template"]["spec"]["flavor"])


def _age(machine: Object) -> str:
    return str(machine["metadata"]["creationTimestamp"])


def _deleting(machine: Object) -> bool:
    return "deletionTimestamp" in machine["metadata"]
