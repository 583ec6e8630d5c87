"""Who may open ports of the workers: under Heat we may, under Cluster API another controller keeps the groups."""

from __future__ import annotations

from collections.abc import Iterator

from magflow.findings import Finding, error
from magflow.rules.driver import CLUSTER_API, target
from magflow.settings import Settings


def check(settings: Settings) -> Iterator[Finding]:
    """What does not hold of `ingress.allowed_cidrs`.

    Cluster API's controller for OpenStack compares the rules of its groups with its own and removes the rest
    (cluster-api-provider-openstack, pkg/cloud/services/networking/securitygroups.go); the drivers leave them to it.

    Args:
        settings: of the environment.
    """
    driver = target(settings).driver
    if settings.ingress.allowed_cidrs and driver in CLUSTER_API:
        yield error(
            "ACCESS_GROUP_MANAGED",
            "ingress.allowed_cidrs",
            f"the driver is {driver}, and a rule in its workers' security group would be removed by Cluster API's "
            "controller, which keeps that group",
            "leave it out and give the ingress controller a Service of type LoadBalancer with "
            "loadBalancerSourceRanges, or open node ports in the driver's own values; who may reach the API is said in "
            "cluster.load_balancer.allowed_cidrs",
        )
