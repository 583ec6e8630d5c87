"""What Cluster API's OpenStack provider (0.11.3) makes in OpenStack for a cluster, under its names and descriptions.

Usage::

    objects = CloudObjects(connection, "magnum-1234-demo", spec_of_the_OpenStackCluster)
    network = objects.network()
    groups = objects.security_groups(network)
    objects.port("demo-gpu-abcde", network, groups.worker)
    objects.delete_all()

Two deviations, because the sandbox has neither Octavia nor servers: a port stands for the API's load balancer, and node
ports belong to no server. Rules that others put into the managed security groups are removed, as the provider does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from openstack.connection import Connection
from openstack.exceptions import ConflictException, NotFoundException

from magflow_sandbox.clusters.cloud_facts import Groups, Network, Port
from magflow_sandbox.clusters.nodes import Capacity
from magflow_sandbox.clusters.security_rules import Rule, control_plane_rules, worker_rules
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.openstack.flavors import GPUS


class CloudObjects:
    """The objects of one cluster.

    Args:
        cloud: connection by the credential that Magnum wrote for the cluster.
        resource: <namespace>-<name> of the cluster, part of all names.
        spec: of the OpenStackCluster.
    """

    def __init__(self, cloud: Connection, resource: str, spec: Mapping[str, Any]) -> None:
        self.cloud, self.resource, self.spec = cloud, resource, spec
        self.neutron: Any = cloud.network
        self.name = f"k8s-clusterapi-cluster-{resource}"
        self.description = f"Created by cluster-api-provider-openstack cluster {resource}"
        self.group_names = Groups(*(f"k8s-cluster-{resource}-secgroup-{part}" for part in ("controlplane", "worker")))

    # -- making

    def network(self) -> Network:
        """The given network, else one of the cluster's own with subnet and router.

        Raises:
            SandboxError: the given network or subnet is not there.
        """
        if self.spec.get("network"):
            return self._given_network()
        network = self._one("networks", self.name) or self._tagged(self.neutron.create_network(name=self.name))
        wanted = self.spec["managedSubnets"][0]
        subnet = self._one("subnets", self.name, network_id=network.id) or self._tagged(
            self.neutron.create_subnet(
                name=self.name,
                network_id=network.id,
                ip_version=4,
                cidr=wanted["cidr"],
                dns_nameservers=wanted.get("dnsNameservers") or [],
                description=self.description,
            ),
        )
        if self.external:
            self._router(subnet.id)
        return Network(network.id, network.name, subnet.id, subnet.name, subnet.cidr, managed=True)

    @property
    def external(self) -> str | None:
        """Id of the external network, if the cluster has one."""
        found = (self.spec.get("externalNetwork") or {}).get("id")
        return str(found) if found else None

    def router(self) -> Any | None:
        """The cluster's own router, if there is one."""
        return self._one("routers", self.name)

    def security_groups(self, network: Network) -> Groups:
        """The two groups with exactly the provider's rules."""
        made = [self._group(name) for name in (self.group_names.control_plane, self.group_names.worker)]
        groups = Groups(made[0].id, made[1].id)
        self._rules(groups.control_plane, control_plane_rules(groups.control_plane, groups.worker))
        self._rules(groups.worker, worker_rules(groups.worker, groups.control_plane, network.cidr))
        return groups

    def api_address(self, network: Network, groups: Groups) -> tuple[str, str | None]:
        """Internal and floating address of the API's load balancer (a port stands for it)."""
        port = self.port(f"{self.name}-kubeapi", network, groups.control_plane)
        if self.spec.get("disableAPIServerFloatingIP") or not self.external:
            return port.address, None
        floating = next(iter(self.neutron.ips(port_id=port.id)), None)
        if floating is None:
            floating = next((ip for ip in self._floating() if not ip.port_id), None)
        if floating is None:
            made = self.neutron.create_ip(floating_network_id=self.external, description=self.description)
            floating = self._tagged(made)
        if floating.port_id != port.id:
            try:
                self.neutron.update_ip(floating, port_id=port.id)
            except NotFoundException as error:
                # Neutron: the port's subnet has no router to the external network
                raise SandboxError(f"the floating address cannot be given to the API: {error}") from error
        return port.address, str(floating.floating_ip_address)

    def port(self, name: str, network: Network, group: str) -> Port:
        """A port with an address of the nodes' subnet."""
        found = self._one("ports", name, network_id=network.id)
        if found is None:
            made = self.neutron.create_port(
                name=name,
                network_id=network.id,
                description=self.description,
                fixed_ips=[{"subnet_id": network.subnet_id}],
                security_groups=[group],
            )
            found = self._tagged(made)
        return Port(found.id, found.fixed_ips[0]["ip_address"])

    def capacity(self, flavor: str) -> Capacity:
        """What a machine of a flavor (name or id) has.

        Raises:
            SandboxError: no such flavor.
        """
        found = self.cloud.compute.find_flavor(flavor, get_extra_specs=True)
        if found is None:
            raise SandboxError(f"flavor {flavor} is not there")
        specs = found.extra_specs or {}
        return Capacity(cpus=found.vcpus, memory=found.ram // 1024, gpus=int(specs.get(GPUS, 0)))

    # -- deleting

    def delete_port(self, name: str) -> None:
        """Delete a node's port; one that is gone is fine."""
        for port in self.neutron.ports(name=name):
            if port.description == self.description:
                self.neutron.delete_port(port)

    def delete_all(self, leave: Collection[str] = ()) -> None:
        """Delete everything of the cluster, in the order that the provider does it. Repeatable.

        Args:
            leave: kinds (`LeaveBehind.what`) of which something stays, with what cannot go without it.

        Raises:
            SandboxError: something else is in the cluster's own network, or uses its security groups.
        """
        if "floating-ip" not in leave:
            for floating in self._floating():
                self.neutron.delete_ip(floating)
        kept = self._delete_ports(keep="port" in leave)
        self._delete_router(keep="router" in leave)
        network = self.managed_network()
        if network is not None and "network" not in leave and network.id != kept:
            try:
                self.neutron.delete_network(network)
            except ConflictException as error:
                raise SandboxError(f"failed to delete network: {error}") from error
        for name in (self.group_names.control_plane, self.group_names.worker):
            group = self.managed_group(name)
            if group is not None and "security-group" not in leave:
                try:
                    self.neutron.delete_security_group(group)
                except ConflictException as error:
                    raise SandboxError(f"failed to delete security groups: {error}") from error

    def managed_network(self) -> Any | None:
        """The cluster's own network, if there is one."""
        return self._one("networks", self.name)

    def managed_group(self, name: str) -> Any | None:
        """A security group of the cluster, if it is there."""
        return self._one("security_groups", name)

    # -- inside

    def _delete_ports(self, *, keep: bool) -> str | None:
        """Delete the ports; returns the network of the node's port that is kept, without its security group."""
        network = None
        for port in list(self.neutron.ports(description=self.description)):
            if keep and network is None and port.name != f"{self.name}-kubeapi":
                self.neutron.update_port(port, security_groups=[])
                network = str(port.network_id)
            else:
                self.neutron.delete_port(port)
        return network

    def _delete_router(self, *, keep: bool) -> None:
        router = self.router()
        if router is None:
            return
        subnet = self._one("subnets", self.name)
        if subnet is not None and self._interface(router.id, subnet.id):
            self.neutron.remove_interface_from_router(router, subnet_id=subnet.id)
        if not keep:
            self.neutron.delete_router(router)

    def _one(self, kind: str, name: str, **query: str) -> Any | None:
        return next(
            iter(getattr(self.neutron, kind)(name=name, project_id=self.cloud.current_project_id, **query)), None
        )

    def _tagged(self, made: Any) -> Any:
        tags = self.spec.get("tags")
        if tags:
            self.neutron.set_tags(made, tags)
        return made

    def _floating(self) -> list[Any]:
        project = self.cloud.current_project_id
        return [ip for ip in self.neutron.ips(project_id=project) if ip.description == self.description]

    def _given_network(self) -> Network:
        wanted = self.spec["network"]["id"]
        network = self.neutron.find_network(wanted)
        if network is None:
            raise SandboxError(f"network {wanted} is not there")
        asked = [item["id"] for item in self.spec.get("subnets") or []] or list(network.subnet_ids)
        if not asked:
            raise SandboxError(f"network {network.name} has no subnet")
        subnet = self.neutron.find_subnet(asked[0])
        if subnet is None:
            raise SandboxError(f"subnet {asked[0]} is not there")
        return Network(network.id, network.name, subnet.id, subnet.name, subnet.cidr, managed=False)

    def _router(self, subnet_id: str) -> None:
        router = self.router() or self._tagged(
            self.neutron.create_router(
                name=self.name, description=self.description, external_gateway_info={"network_id": self.external}
            ),
        )
        if not self._interface(router.id, subnet_id):
            self.neutron.add_interface_to_router(router, subnet_id=subnet_id)

    def _interface(self, router_id: str, subnet_id: str) -> bool:
        ports = self.neutron.ports(device_id=router_id)
        return any(address["subnet_id"] == subnet_id for port in ports for address in port.fixed_ips)

    def _group(self, name: str) -> Any:
        found = self.managed_group(name)
        if found is not None:
            return found
        made = self.neutron.create_security_group(name=name, description="Cluster API managed group")
        return self._tagged(made)

    def _rules(self, group_id: str, wanted: set[Rule]) -> None:
        present: dict[Rule, Any] = {}
        for rule in self.neutron.security_group_rules(security_group_id=group_id):
            present.setdefault(Rule.of(rule), rule)
        for rule in present.keys() - wanted:
            self.neutron.delete_security_group_rule(present[rule])
        missing = [{"security_group_id": group_id, **rule.options()} for rule in wanted - present.keys()]
        if missing:
            self.neutron.create_security_group_rules(missing)
