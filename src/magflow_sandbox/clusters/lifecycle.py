"""One cluster's way from the objects that Helm made to a running control plane with nodes, and back to nothing.

A pass (`Lifecycle.step`) looks at what there is, does what is missing and writes what it saw. It may end at any point
and be repeated: all state is in the management API, in OpenStack under fixed names, and with the supervisor.
"""

from __future__ import annotations

import dataclasses
import datetime
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters import nodes
from magflow_sandbox.clusters.addons import Addons
from magflow_sandbox.clusters.api import Api
from magflow_sandbox.clusters.claims import Claims
from magflow_sandbox.clusters.cloud_facts import Groups, Network
from magflow_sandbox.clusters.cluster_api import Object, View
from magflow_sandbox.clusters.control_plane import ControlPlane, Ranges
from magflow_sandbox.clusters.faulty import UNREACHED, Faulty
from magflow_sandbox.clusters.infrastructure import ADMIN, TROUBLE, Infrastructure, connect, connect_user, failed
from magflow_sandbox.clusters.leftovers import Leftovers
from magflow_sandbox.clusters.machines import Machines, outdated
from magflow_sandbox.clusters.ports import Ports
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home
from magflow_sandbox.openstack.place import kubernetes_versions
from magflow_sandbox.pki import CA
from magflow_sandbox.supervisor import Supervisor
from magflow_sandbox.toolchain import Toolchain

LOG = logging.getLogger("controller")
HOST = "127.0.0.1"
SOON, LATER = 0.5, 5.0
"""Seconds until the next look while something is awaited, and otherwise."""


class Lifecycle:
    """The reconciler of one cluster, kept between passes.

    Args:
        api: the management API.
        ports: gives out the ports of cluster APIs.
    """

    def __init__(
        self, home: Home, supervisor: Supervisor, tools: Toolchain, api: Api, ports: Ports, namespace: str, name: str
    ) -> None:
        self.home, self.supervisor, self.tools, self.api, self.ports = home, supervisor, tools, api, ports
        self.name = name
        self.infrastructure = Infrastructure(home, api, namespace, name)
        self.machines, self.addons = Machines(api), Addons(api)
        self.faulty = Faulty(home, name)
        admin, user = partial(connect, home, ADMIN), partial(connect_user, home)
        self.claims = Claims(name, admin)
        self.leftovers = Leftovers(self.faulty, self.claims, admin, user)
        self._plane: ControlPlane | None = None
        self._warned: dict[str, str] = {}

    def doubt(self, view: View) -> None:
        """Take back at once what an earlier controller said of a cluster whose programs do not run (any more)."""
        said_ready = view.cluster.get("status", {}).get("controlPlaneReady")
        if said_ready and view.control_plane and not view.deleting:
            dead = ControlPlane(self.home, self.supervisor, self.tools, self.name, port=0).dead()
            if dead:
                self._report(view, None, f"not running: {', '.join(dead)}", None, set())

    def step(self, view: View) -> float:
        """One pass. Returns after how many seconds the next one should be."""
        self.faulty.look()
        if view.deleting:
            return self._delete(view)
        if not view.infrastructure or not view.control_plane:
            return SOON
        for item in (view.cluster, view.infrastructure, view.control_plane):
            finalizer = capi.FINALIZERS[item["kind"]]
            if finalizer not in (item["metadata"].get("finalizers") or []):
                self.api.patch_if_there(capi.path_of(item), {"metadata": {"finalizers": [finalizer]}})
        stuck = self.faulty.stuck(view)
        if stuck == "infrastructure":
            self._report(view, "waiting for the cluster's network", "waiting for the cluster's network", None, set())
            return LATER
        if view.control_plane.get("status", {}).get("ready") and _unlike(view):
            # before the slow part: Magnum must not take the old state for the new one
            known = {item["metadata"]["name"] for item in view.machines if item.get("status", {}).get("nodeRef")}
            self._report(view, None, None, None, known)
        unsupported = self._unsupported(view)
        try:
            network = self.infrastructure.network(view)
            self._endpoint(view)
            # the slowest parts side by side
            with ThreadPoolExecutor(1) as pool:
                rest = pool.submit(self.infrastructure.rest, view, network)
                held = "the control plane is starting" if stuck == "api" else None
                problem = unsupported or held or self._start(view, network)
                groups, status = rest.result()
        except TROUBLE as error:
            message = self._warn("infrastructure", error)
            self.infrastructure.forget()
            self._status(view.infrastructure, failed("UpdateError", message))
            self._report(view, message, unsupported or message, unsupported, set())
            return LATER
        if status:
            self._status(view.infrastructure, status)
        ready: set[str] = set()
        if unsupported is None:
            try:
                ready = self._nodes(view, network, groups, None if problem or stuck == "nodes" else self._plane)
            except TROUBLE as error:
                problem = self._warn("nodes", error)
        if stuck == "status":
            problem = problem or UNREACHED
        whole = self._report(view, None, problem, unsupported, ready)
        if problem is None and self._plane is not None:
            whole &= self.addons.deploy(view, self._plane.api()) and self._claimed(view, self._plane)
        return LATER if whole or unsupported else SOON

    def _endpoint(self, view: View) -> None:
        """Give the cluster's API its door, and tell the Cluster, from which Magnum reads the address."""
        endpoint = {"host": HOST, "port": self.ports.give(view)}
        for item in (view.infrastructure, view.cluster):
            if item["spec"].get("controlPlaneEndpoint") != endpoint:
                self.api.patch_if_there(capi.path_of(item), {"spec": {"controlPlaneEndpoint": endpoint}})
                item["spec"]["controlPlaneEndpoint"] = endpoint

    def _unsupported(self, view: View) -> str | None:
        """Why the cluster can never come up: no binaries of its version. The chart refuses this before, normally."""
        version, known = view.control_plane["spec"]["version"], kubernetes_versions(self.tools)
        if version in known:
            return None
        return f"Kubernetes {version} is not available here: the sandbox has binaries of {', '.join(known)} only"

    def _start(self, view: View, network: Network) -> str | None:
        """Make the control plane run. Returns what is wrong."""
        version, begun = view.control_plane["spec"]["version"], time.monotonic()
        try:
            if self._plane is None or self._plane.kubernetes != version:
                pods, services = view.ranges("pods", "172.16.0.0/13"), view.ranges("services", "172.24.0.0/13")
                self._plane = ControlPlane(
                    self.home,
                    self.supervisor,
                    self.tools,
                    self.name,
                    port=view.infrastructure["spec"]["controlPlaneEndpoint"]["port"],
                    ranges=Ranges(pods, services, network.cidr),
                    ca=self._authority("ca"),
                    front_proxy=self._authority("proxy"),
                    sa=self.infrastructure.secret(f"{self.name}-sa")["tls.key"],
                    kubernetes=version,
                )
            elif self._plane.ready():
                return None
            else:
                LOG.info("%s: control plane is not whole: %s", self.name, ", ".join(self._plane.dead()) or "no answer")
                # what people read while it starts again
                self._report(view, None, "the control plane is starting", None, set())
            self._plane.start()
            LOG.info("%s: control plane answers after %.1f s", self.name, time.monotonic() - begun)
        except TROUBLE as error:
            return self._warn("control plane", error)
        return None

    def _authority(self, part: str) -> CA:
        secret = self.infrastructure.secret(f"{self.name}-{part}")
        return CA(secret["tls.crt"], secret["tls.key"])

    def _nodes(self, view: View, network: Network, groups: Groups, plane: ControlPlane | None) -> set[str]:
        """Bring machines, ports and nodes to what is wanted. Returns the names of Ready nodes."""
        objects = self.infrastructure.objects(view)

        def port(machine: Object) -> str:
            own = capi.group_of(machine) == capi.CONTROL_PLANE
            group = groups.control_plane if own else groups.worker
            return objects.port(f"{machine['metadata']['name']}-0", network, group).address

        self.machines.scale(view)
        self.machines.address(view, port)
        if plane is None:
            return set()
        failed, bad = self.faulty.failed_machines(view), self.faulty.bad_nodes(view)
        wanted = [
            dataclasses.replace(node, kubelet=bad.get(node.name))
            for node in self.machines.nodes(view, objects.capacity)
            if node.name not in failed and bad.get(node.name) != "absent"
        ]
        nodes.sync(plane.api(), wanted)
        self.machines.finish(view, lambda name: objects.delete_port(f"{name}-0"))
        ready = nodes.ready(plane.api())
        self.machines.report(view, ready, _now(), failed)
        return ready

    def _claimed(self, view: View, plane: ControlPlane) -> bool:
        """Give volumes to claims. Returns whether there was nothing to do."""
        try:
            return not self.claims.sync(plane.api(), self.infrastructure.objects(view).cloud)
        except TROUBLE as error:
            self._warn("claims", error)
            return True

    def _report(
        self, view: View, infrastructure: str | None, problem: str | None, failure: str | None, ready: set[str]
    ) -> bool:
        """Write the states that the driver reads. Returns whether all is well."""
        whole = problem is None
        for deployment in view.deployments:
            machines = view.machines_of(capi.group_of(deployment))
            count = sum(machine["metadata"]["name"] in ready for machine in machines)
            old = sum(outdated(machine, deployment) for machine in machines)
            said = capi.deployment_status(deployment, len(machines), count, failure, old=old)
            self._status(deployment, said)
            whole &= said["phase"] == "Running" and not old
        own = view.machines_of(capi.CONTROL_PLANE)
        count = sum(machine["metadata"]["name"] in ready for machine in own)
        old = sum(outdated(machine, view.control_plane) for machine in own)
        said = capi.control_plane_status(view.control_plane, len(own), count, problem or "", failure, old=old)
        self._status(view.control_plane, said)
        complete = count == len(own) == capi.wanted_replicas(view.control_plane) and not old
        waiting = problem or (None if complete else "waiting for control plane machines")
        self._status(view.cluster, capi.cluster_status(view.cluster, infrastructure, waiting))
        return whole and waiting is None

    def _status(self, item: Object, said: Object) -> None:
        change = capi.changed(item, said, _now())
        if change:
            self.api.patch_if_there(f"{capi.path_of(item)}/status", {"status": change})
            item["status"] = {**item.get("status", {}), **change}

    def _warn(self, what: str, error: Exception) -> str:
        """Log an error, once while it stays the same. Returns its text."""
        message = error.what if isinstance(error, SandboxError) else str(error)
        if self._warned.get(what) != message:
            LOG.warning("%s: %s: %s", self.name, what, message)
        self._warned[what] = message
        return message

    def _delete(self, view: View) -> float:
        """Undo everything: processes, objects in OpenStack, then the objects of the management API."""
        begun = time.monotonic()
        plane = ControlPlane(self.home, self.supervisor, self.tools, self.name, port=0)
        plane.stop()
        self.machines.delete_all(view)
        try:
            if view.infrastructure:
                objects = self.infrastructure.objects(view)
                self.leftovers.block(objects)
                objects.delete_all(self.leftovers.leave(objects, *self.infrastructure.magnum(view)))
        except TROUBLE as error:
            message = self._warn("deleting", error)
            self.infrastructure.forget()
            self._status(view.infrastructure, failed("DeleteError", message))
            self._status(view.cluster, {"phase": "Deleting"})
            return LATER
        plane.delete()
        rest = [item for item in (view.infrastructure, view.control_plane) if item]
        for item in [*rest, *view.deployments, *view.manifests]:
            self.api.delete(capi.path_of(item))
        for item in rest:
            self.api.patch_if_there(capi.path_of(item), {"metadata": {"finalizers": None}})
        if (self.faulty.blocked() or ("", ""))[1] == "finalizer":
            self._status(view.cluster, {"phase": "Deleting"})
            return LATER
        self.ports.take_back(view)
        self.api.patch_if_there(capi.path_of(view.cluster), {"metadata": {"finalizers": None}})
        LOG.info("%s: gone after %.1f s", self.name, time.monotonic() - begun)
        return LATER


def _unlike(view: View) -> bool:
    """Whether machines are missing, too many, or of another template or version than is wanted."""
    for owner in (*view.deployments, view.control_plane):
        own = capi.CONTROL_PLANE if owner is view.control_plane else capi.group_of(owner)
        machines = view.machines_of(own)
        if len(machines) != capi.wanted_replicas(owner) or any(outdated(machine, owner) for machine in machines):
            return True
    return False


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
