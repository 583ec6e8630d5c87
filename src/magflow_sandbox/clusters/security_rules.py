"""Rules of the security groups that Cluster API's OpenStack provider keeps (its securitygroups_rules.go, 0.11.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rule:
    """A rule as the provider compares them: two rules are the same when all of this is.

    Attributes:
        ports: first and last, None for all.
        group: id of the group that may come in, else `prefix`, else everybody.
    """

    description: str
    direction: str = "ingress"
    ethertype: str = "IPv4"
    protocol: str | None = None
    ports: tuple[int, int] | None = None
    group: str | None = None
    prefix: str | None = None

    @classmethod
    def of(cls, rule: Any) -> Rule:
        """From a rule of Neutron."""
        ports = None if rule.port_range_min is None else (rule.port_range_min, rule.port_range_max)
        return cls(
            description=rule.description or "",
            direction=rule.direction,
            ethertype=rule.ether_type,
            protocol=rule.protocol,
            ports=ports,
            group=rule.remote_group_id,
            prefix=rule.remote_ip_prefix,
        )

    def options(self) -> dict[str, Any]:
        """What Neutron takes for it."""
        first, last = self.ports or (None, None)
        return {
            "description": self.description,
            "direction": self.direction,
            "ethertype": self.ethertype,
            "protocol": self.protocol,
            "port_range_min": first,
            "port_range_max": last,
            "remote_group_id": self.group,
            "remote_ip_prefix": self.prefix,
        }


EGRESS = {Rule("Full open", direction="egress", ethertype=kind) for kind in ("IPv4", "IPv6")}
NODE_PORTS = (30000, 32767)
API_PORT = 6443


def control_plane_rules(own: str, worker: str) -> set[Rule]:
    """Rules of the control plane's group, all traffic between the cluster's machines allowed.

    Args:
        own: id of this group.
        worker: id of the workers' group.
    """
    api = Rule("Kubernetes API", protocol="tcp", ports=(API_PORT, API_PORT))
    return EGRESS | {api} | {Rule("In-cluster Ingress", group=group) for group in (own, worker)}


def worker_rules(own: str, control_plane: str, cidr: str) -> set[Rule]:
    """Rules of the workers' group: node ports from the nodes' subnet and groups, all traffic inside.

    Args:
        own: id of this group.
        control_plane: id of the control plane's group.
        cidr: range of the nodes' subnet.
    """
    rules = EGRESS | {Rule("In-cluster Ingress", group=group) for group in (own, control_plane)}
    for protocol in ("tcp", "udp"):
        rules.add(Rule("Node Port Services", protocol=protocol, ports=NODE_PORTS, prefix=cidr))
        for group in (own, control_plane):
            rules.add(Rule("Node Port Services", protocol=protocol, ports=NODE_PORTS, group=group))
    return rules
