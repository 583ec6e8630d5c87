"""What one cluster has in OpenStack, made with the credential that Magnum wrote for it, and the door of its API."""

from __future__ import annotations

import base64
import time
from typing import Any

import openstack
import yaml
from keystoneauth1.exceptions import ClientException
from openstack.connection import Connection
from openstack.exceptions import SDKException

from magflow_sandbox.clusters.api import Api
from magflow_sandbox.clusters.cloud_facts import Groups, Network
from magflow_sandbox.clusters.cloud_objects import CloudObjects
from magflow_sandbox.clusters.cluster_api import Object, View
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.openstack import passwords

TROUBLE = (SandboxError, SDKException, ClientException)
"""What working with OpenStack and the API servers may raise; all of it is told in conditions."""
ADMIN, USER = "sandbox-admin", "demo"
"""The administrator's entry of the home's clouds.yaml; the user (and project) of the clusters."""
LABELS = "magnum.openstack.org"
COMPARE_SECONDS = 30.0
"""How often the objects in OpenStack are compared again; foreign rules of security groups go then."""


class Infrastructure:
    """The cloud's part of one cluster; remembers for a while what it found.

    Args:
        api: the management API.
        name: of the cluster, in `namespace`.
    """

    def __init__(self, home: Home, api: Api, namespace: str, name: str) -> None:
        self.home, self.api, self.namespace, self.name = home, api, namespace, name
        self._objects: CloudObjects | None = None
        self._network: Network | None = None
        self._groups: Groups | None = None
        self._compared = 0.0

    def forget(self) -> None:
        """Connect and compare anew: something went wrong, the credential may have been renewed."""
        self._objects = self._network = self._groups = None

    def secret(self, name: str) -> dict[str, str]:
        """Decoded secret of the cluster's namespace.

        Raises:
            SandboxError: it is not there.
        """
        found = self.api.get(f"/api/v1/namespaces/{self.namespace}/secrets/{name}")
        if found is None:
            raise SandboxError(f"secret {name} is not there")
        return {key: base64.b64decode(value).decode() for key, value in found["data"].items()}

    def objects(self, view: View) -> CloudObjects:
        """The connected objects."""
        if self._objects is None:
            spec = view.infrastructure["spec"]
            secret = self.secret(spec["identityRef"]["name"])
            authority = write_private(self.home.clusters / self.name / "cloud-ca.crt", secret["cacert"])
            entry: dict[str, Any] = yaml.safe_load(secret["clouds.yaml"])["clouds"][spec["identityRef"]["cloudName"]]
            connection = openstack.connect(
                load_yaml_config=False, load_envvars=False, app_name="magflow-sandbox", cacert=str(authority), **entry
            )
            self._objects = CloudObjects(connection, f"{self.namespace}-{self.name}", spec)
        return self._objects

    def magnum(self, view: View) -> tuple[str, str]:
        """Ids of the cluster and of its project, as Magnum wrote them at the cluster's credential."""
        name = view.infrastructure["spec"]["identityRef"]["name"]
        found = self.api.get(f"/api/v1/namespaces/{self.namespace}/secrets/{name}") or {"metadata": {}}
        labels = found["metadata"].get("labels", {})
        return labels.get(f"{LABELS}/cluster-uuid", ""), labels.get(f"{LABELS}/project-id", "")

    def network(self, view: View) -> Network:
        """The nodes' network; made when it is not there. Raises one of `TROUBLE`."""
        if self._network is None or time.monotonic() - self._compared > COMPARE_SECONDS:
            self._network = self.objects(view).network()
            self._groups = None
        return self._network

    def rest(self, view: View, network: Network) -> tuple[Groups, Object | None]:
        """Security groups and the API's address. Raises one of `TROUBLE`.

        Returns:
            The groups, and the status of the OpenStackCluster when it was looked at anew.
        """
        if self._groups is not None:
            return self._groups, None
        objects, begun = self.objects(view), time.monotonic()
        groups = objects.security_groups(network)
        internal, floating = objects.api_address(network, groups)
        status = _status(objects, network, groups, internal, floating)
        self._groups, self._compared = groups, begun
        return groups, status


def connect(home: Home, cloud: str) -> Connection:
    """Connect by an entry of the home's clouds.yaml."""
    return _connect(yaml.safe_load(home.clouds_yaml.read_text())["clouds"][cloud])


def connect_user(home: Home) -> Connection:
    """Connect as the user of the clusters, by password: Keystone gives trusts to no application credential."""
    entry = yaml.safe_load(home.clouds_yaml.read_text())["clouds"][ADMIN]
    password = passwords.load(home.data / "passwords.json")[USER]
    return _connect({**entry, "auth": {**entry["auth"], "username": USER, "project_name": USER, "password": password}})


def _connect(entry: dict[str, Any]) -> Connection:
    return openstack.connect(load_yaml_config=False, load_envvars=False, app_name="magflow-sandbox", **entry)


def failed(reason: str, message: str) -> Object:
    """Status of an OpenStackCluster that could not be brought to what is wanted; Magnum's health check shows it."""
    return {"ready": False, "failureReason": reason, "failureMessage": message}


def _status(objects: CloudObjects, network: Network, groups: Groups, internal: str, floating: str | None) -> Object:
    router = objects.router() if network.managed else None
    external = objects.neutron.get_network(objects.external) if objects.external else None
    balancer = f"{objects.name}-kubeapi"
    said: Object = {
        "ready": True,
        "failureReason": None,
        "failureMessage": None,
        "network": {
            "id": network.id,
            "name": network.name,
            "subnets": [{"id": network.subnet_id, "name": network.subnet_name, "cidr": network.cidr}],
        },
        "controlPlaneSecurityGroup": {"id": groups.control_plane, "name": objects.group_names.control_plane},
        "workerSecurityGroup": {"id": groups.worker, "name": objects.group_names.worker},
        "apiServerLoadBalancer": {"id": balancer, "name": balancer, "ip": floating or internal, "internalIP": internal},
    }
    if external:
        said["externalNetwork"] = {"id": external.id, "name": external.name}
    if router:
        gateway = (router.external_gateway_info or {}).get("external_fixed_ips", [])
        said["router"] = {"id": router.id, "name": router.name, "ips": [ip["ip_address"] for ip in gateway]}
    return said
