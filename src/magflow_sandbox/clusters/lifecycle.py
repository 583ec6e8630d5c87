"""One cluster's way from the objects that Helm made to a running control plane with nodes, and back to nothing.

A pass (`Lifecycle.step`) looks at what there is, does what is missing and writes what it saw. It may be ended at any point and
repeated: all state is in the management API, in OpenStack under fixed names, and with the supervisor.
"""

from __future__ import annotations

import base64
import datetime
import logging
import time
from typing import Any

import openstack
import yaml
from keystoneauth1.exceptions import ClientException
from openstack.exceptions import SDKException

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters import nodes
from magflow_sandbox.clusters.addons import Addons
from magflow_sandbox.clusters.api import Api, ApiError
from magflow_sandbox.clusters.cloud_objects import CloudObjects, Groups, Network
from magflow_sandbox.clusters.cluster_api import Object, View
from magflow_sandbox.clusters.control_plane import ControlPlane, Ranges
from magflow_sandbox.clusters.machines import Machines
from magflow_sandbox.clusters.ports import Ports
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.openstack.place import kubernetes_versions
from magflow_sandbox.pki import CA
from magflow_sandbox.supervisor import Supervisor
from magflow_sandbox.toolchain import Toolchain

LOG = logging.getLogger("controller")
HOST = "127.0.0.1"
SOON, LATER = 0.5, 5.0
"""Seconds until the next look while something is awaited, and otherwise."""
CLOUD_SECONDS = 60.0
"""How often the objects in OpenStack are compared again; foreign rules of security groups go then."""
TROUBLE = (SandboxError, SDKException, ClientException)


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
        self.namespace, self.name = namespace, name
        self._cloud: CloudObjects | None = None
        self._plane: ControlPlane | None = None
        self._seen: tuple[float, Network, Groups] | None = None
        self.machines = Machines(api, lambda flavor: self._objects_known().capacity(flavor))
        self.addons = Addons(api)

    def step(self, view: View) -> float:
        """One pass. Returns after how many seconds the next one should be."""
        if view.deleting:
            return self._delete(view)
        if view.infrastructure is None or view.control_plane is None:
            return SOON
        self._hold(view)
        infrastructure = self._infrastructure(view)
        missing = self._unsupported(view)
        plane_problem = missing or infrastructure or self._start(view)
        ready: set[str] = set()
        nodes_problem = None
        if infrastructure is None and missing is None:
            try:
                ready = self._nodes(view, None if plane_problem else self._plane)
            except TROUBLE as error:
                nodes_problem = _text(error)
                LOG.warning("%s: %s", self.name, nodes_problem)
        whole = self._report(view, infrastructure, plane_problem or nodes_problem, missing, ready)
        if plane_problem is None and self._plane is not None:
            whole &= self.addons.deploy(view, self._plane.api())
        return LATER if whole else SOON if missing is None else LATER

    # -- infrastructure

    def _infrastructure(self, view: View) -> str | None:
        """Make what the cluster has in OpenStack. Returns what is wrong."""
        assert view.infrastructure is not None
        now = time.monotonic()
        if self._seen and now - self._seen[0] < CLOUD_SECONDS and view.infrastructure.get("status", {}).get("ready"):
            return None
        try:
            objects = self._objects(view)
            network = objects.network()
            groups = objects.security_groups(network)
            internal, floating = objects.api_address(network, groups)
            Ranges(view.ranges("pods", "172.16.0.0/13"), view.ranges("services", "172.24.0.0/13"), network.cidr)
            self._endpoint(view)
        except TROUBLE as error:
            message = _text(error)
            LOG.warning("%s: infrastructure: %s", self.name, message)
            said = {"ready": False, "failureReason": "UpdateError", "failureMessage": message}
            self._status(view.infrastructure, said)
            # the credential may have been renewed
            self._cloud = None
            return message
        self._seen = (now, network, groups)
        self._status(view.infrastructure, _infrastructure_status(objects, network, groups, internal, floating))
        return None

    def _objects(self, view: View) -> CloudObjects:
        if self._cloud is None:
            assert view.infrastructure is not None
            spec = view.infrastructure["spec"]
            secret = self._secret(spec["identityRef"]["name"])
            authority = write_private(self.home.clusters / self.name / "cloud-ca.crt", secret["cacert"])
            entry = yaml.safe_load(secret["clouds.yaml"])["clouds"][spec["identityRef"]["cloudName"]]
            connection = openstack.connect(
                load_yaml_config=False, load_envvars=False, app_name="magflow-sandbox", cacert=str(authority), **entry
            )
            self._cloud = CloudObjects(connection, f"{self.namespace}-{self.name}", spec)
        return self._cloud

    def _objects_known(self) -> CloudObjects:
        assert self._cloud is not None
        return self._cloud

    def _secret(self, name: str) -> dict[str, str]:
        found = self.api.get(f"/api/v1/namespaces/{self.namespace}/secrets/{name}")
        if found is None:
            raise SandboxError(f"secret {name} is not there")
        return {key: base64.b64decode(value).decode() for key, value in found["data"].items()}

    def _endpoint(self, view: View) -> None:
        """Give the cluster's API its door, and tell the Cluster, from which Magnum reads the address."""
        assert view.infrastructure is not None
        endpoint = {"host": HOST, "port": self.ports.give(view)}
        for item in (view.infrastructure, view.cluster):
            if item["spec"].get("controlPlaneEndpoint") != endpoint:
                self._patch(_path(item), {"spec": {"controlPlaneEndpoint": endpoint}})
                item["spec"]["controlPlaneEndpoint"] = endpoint

    # -- control plane and nodes

    def _unsupported(self, view: View) -> str | None:
        """Why the cluster can never come up: no binaries of its version. The chart refuses this before, normally."""
        assert view.control_plane is not None
        version, known = view.control_plane["spec"]["version"], kubernetes_versions(self.tools)
        if version in known:
            return None
        return f"Kubernetes {version} is not available here: the sandbox has binaries of {', '.join(known)} only"

    def _start(self, view: View) -> str | None:
        """Make the control plane run. Returns what is wrong."""
        assert view.control_plane is not None and view.infrastructure is not None and self._seen is not None
        version = view.control_plane["spec"]["version"]
        try:
            if self._plane is None or self._plane.kubernetes != version:
                self._plane = ControlPlane(
                    self.home,
                    self.supervisor,
                    self.tools,
                    self.name,
                    port=view.infrastructure["spec"]["controlPlaneEndpoint"]["port"],
                    ranges=Ranges(
                        view.ranges("pods", "172.16.0.0/13"),
                        view.ranges("services", "172.24.0.0/13"),
                        self._seen[1].cidr,
                    ),
                    ca=self._authority("ca"),
                    front_proxy=self._authority("proxy"),
                    sa=self._secret(f"{self.name}-sa")["tls.key"],
                    kubernetes=version,
                )
                LOG.info("%s: starting its control plane", self.name)
                self._plane.start()
            elif not self._plane.ready():
                LOG.info("%s: control plane is not whole (%s), starting it", self.name, self._plane.dead())
                # what people read while it starts again
                self._report(view, None, "the control plane is starting", None, set())
                self._plane.start()
        except TROUBLE as error:
            LOG.warning("%s: control plane: %s", self.name, error)
            return _text(error)
        return None

    def _authority(self, part: str) -> CA:
        secret = self._secret(f"{self.name}-{part}")
        return CA(secret["tls.crt"], secret["tls.key"])

    def _nodes(self, view: View, plane: ControlPlane | None) -> set[str]:
        """Bring machines, ports and nodes to what is wanted. Returns the names of Ready nodes."""
        assert self._seen is not None
        _, network, groups = self._seen
        objects = self._objects(view)

        def port(machine: Object) -> str:
            own = capi.group_of(machine) == capi.CONTROL_PLANE
            group = groups.control_plane if own else groups.worker
            return objects.port(f"{machine['metadata']['name']}-0", network, group).address

        self.machines.scale(view)
        self.machines.address(view, port)
        if plane is None:
            return set()
        nodes.sync(plane.api(), self.machines.nodes(view))
        self.machines.finish(view, lambda name: objects.delete_port(f"{name}-0"))
        ready = nodes.ready(plane.api())
        self.machines.report(view, ready, _now())
        return ready

    # -- reporting

    def _report(
        self, view: View, infrastructure: str | None, problem: str | None, failure: str | None, ready: set[str]
    ) -> bool:
        """Write the states that the driver reads. Returns whether all is well."""
        assert view.control_plane is not None
        healthy = problem is None
        whole = healthy
        for deployment in view.deployments:
            machines = view.machines_of(capi.group_of(deployment))
            count = sum(machine["metadata"]["name"] in ready for machine in machines)
            said = capi.deployment_status(deployment, len(machines), count)
            if failure:
                said["phase"] = "Failed"
            self._status(deployment, said)
            whole &= said["phase"] == "Running"
        own = view.machines_of(capi.CONTROL_PLANE)
        count = sum(machine["metadata"]["name"] in ready for machine in own)
        said = capi.control_plane_status(view.control_plane, len(own), count, healthy, problem or "", failure)
        self._status(view.control_plane, said)
        complete = count == len(own) == capi.wanted_replicas(view.control_plane)
        waiting = problem or (None if complete else "waiting for control plane machines")
        self._status(view.cluster, capi.cluster_status(view.cluster, infrastructure, waiting))
        return whole and waiting is None

    def _status(self, item: Object, said: Object) -> None:
        change = capi.changed(item, said, _now())
        if change:
            self._patch(_path(item) + "/status", {"status": change})
            item["status"] = {**item.get("status", {}), **change}

    def _hold(self, view: View) -> None:
        for item in (view.cluster, view.infrastructure, view.control_plane):
            assert item is not None
            finalizer = capi.FINALIZERS[item["kind"]]
            if finalizer not in (item["metadata"].get("finalizers") or []):
                self._patch(_path(item), {"metadata": {"finalizers": [finalizer]}})

    def _patch(self, path: str, change: dict[str, Any]) -> None:
        try:
            self.api.patch(path, change, "merge")
        except ApiError as error:
            if error.code != 404:
                raise

    # -- the end

    def _delete(self, view: View) -> float:
        """Undo everything: processes, objects in OpenStack, then the objects of the management API."""
        LOG.info("%s: deleting", self.name)
        plane = ControlPlane(self.home, self.supervisor, self.tools, self.name, port=0)
        plane.stop()
        self.machines.delete_all(view)
        try:
            if view.infrastructure is not None:
                self._objects(view).delete_all()
        except TROUBLE as error:
            LOG.warning("%s: deleting: %s", self.name, error)
            self._cloud = None
            if view.infrastructure is not None:
                said = {"ready": False, "failureReason": "DeleteError", "failureMessage": _text(error)}
                self._status(view.infrastructure, said)
            self._status(view.cluster, {"phase": "Deleting"})
            return LATER
        plane.delete()
        self.ports.take_back(view)
        rest = [item for item in (view.infrastructure, view.control_plane) if item is not None]
        for item in [*rest, *view.deployments, *view.manifests]:
            self.api.delete(_path(item))
        for item in [*rest, view.cluster]:
            self._patch(_path(item), {"metadata": {"finalizers": None}})
        LOG.info("%s: gone", self.name)
        return LATER


def _infrastructure_status(
    objects: CloudObjects, network: Network, groups: Groups, internal: str, floating: str | None
) -> Object:
    router = objects.router() if network.managed else None
    external = objects.neutron.get_network(objects.external) if objects.external else None
    gateway = (router.external_gateway_info or {}).get("external_fixed_ips", []) if router else []
    balancer = f"{objects.name}-kubeapi"
    return {
        "ready": True,
        "failureReason": None,
        "failureMessage": None,
        "network": {
            "id": network.id,
            "name": network.name,
            "subnets": [{"id": network.subnet_id, "name": network.subnet_name, "cidr": network.cidr}],
        },
        "externalNetwork": {"id": external.id, "name": external.name} if external else None,
        "router": {"id": router.id, "name": router.name, "ips": [ip["ip_address"] for ip in gateway]} if router else None,
        "controlPlaneSecurityGroup": {"id": groups.control_plane, "name": objects.group_names.control_plane},
        "workerSecurityGroup": {"id": groups.worker, "name": objects.group_names.worker},
        "apiServerLoadBalancer": {"id": balancer, "name": balancer, "ip": floating or internal, "internalIP": internal},
    }


def _path(item: Object) -> str:
    return capi.path(item["kind"], item["metadata"]["namespace"], item["metadata"]["name"])


def _text(error: Exception) -> str:
    return error.what if isinstance(error, SandboxError) else str(error)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
