"""What holds a cluster that is being deleted: ports in its groups and networks, load balancers, finalizers.

Known from magnum-cluster-api issues 188 and 63 and cluster-api-provider-openstack issues 701, 976 and 2576.
"""

from __future__ import annotations

from magflow.checks.diagnosis.model import Cause
from magflow.checks.diagnosis.reasons import SAID, SEEN
from magflow.cloud.evidence import Evidence, Item

GROUPS = "https://github.com/kubernetes-sigs/cluster-api-provider-openstack/issues/701"
NETWORKS = "https://github.com/kubernetes-sigs/cluster-api-provider-openstack/issues/2576"
BALANCERS = "https://github.com/vexxhost/magnum-cluster-api/issues/63"


def blockers(evidence: Evidence) -> list[Cause]:
    """What is still there of the cluster, or in its way."""
    return [
        *_in_the_way(evidence, "SECURITY_GROUP_IN_USE", "security group", evidence.security_groups, "groups", GROUPS),
        *_in_the_way(evidence, "NETWORK_IN_USE", "network", evidence.networks, "network", NETWORKS),
        *_balancers(evidence),
        *_finalizers(evidence),
    ]


def foreign(evidence: Evidence) -> list[Item]:
    """Ports that use what is the cluster's, and that its driver did not make: it will never delete them."""
    # Neutron's own: of DHCP, routers and their gateways; they go with the network and the router
    return [port for port in evidence.ports if not port["ours"] and not port["owner"].startswith("network:")]


def _in_the_way(evidence: Evidence, code: str, word: str, places: list[Item], key: str, source: str) -> list[Cause]:
    lines, steps, used, others = [], [], [], False
    for place in places:
        for port in evidence.ports:
            if place["id"] not in port[key] or port["owner"].startswith("network:"):
                continue
            lines.append(f"{word} {place['id']} ({place['name']}) is used by {_described(port)}")
            steps.append(_step(port, place, word))
            used.append(f"openstack port list --{'security-group' if key == 'groups' else 'network'} {place['id']}")
            others |= not port["ours"]
    if not lines:
        return []
    steps = [*used, *steps]
    title = f"ports use the cluster's {word}, so that it cannot be deleted"
    return [Cause(code, title, SAID + 3 if others else SEEN, tuple(lines), tuple(dict.fromkeys(steps)), source)]


def _described(port: Item) -> str:
    holder = f"of {port['owner'] or 'device'} {port['device']}" if port["device"] else "of no device"
    made = "" if port["ours"] else ", not made by the cluster"
    return f"port {port['id']} ({port['name'] or 'no name'}, {holder}{made})"


def _step(port: Item, place: Item, word: str) -> str:
    if port["ours"]:
        return f"openstack port delete {port['id']}"
    if word == "security group":
        return f"openstack port unset --security-group {place['id']} {port['id']}   # or delete it: ask its owner"
    return f"openstack port show {port['id']} -c device_id -c device_owner   # ask its owner, then delete it"


def _balancers(evidence: Evidence) -> list[Cause]:
    if not evidence.load_balancers:
        return []
    lines = tuple(f"load balancer {lb['name']} ({lb['id']}) is {lb['status']}" for lb in evidence.load_balancers)
    steps = tuple(f"openstack loadbalancer delete --cascade {lb['id']}" for lb in evidence.load_balancers)
    stuck = any(lb["status"] in {"ERROR", "PENDING_DELETE", "PENDING_UPDATE"} for lb in evidence.load_balancers)
    return [Cause("LOAD_BALANCER", "load balancers are still there", SEEN + 2 * stuck, lines, steps, BALANCERS)]


def _finalizers(evidence: Evidence) -> list[Cause]:
    held = [item for item in evidence.objects if item["deleting"] and item["finalizers"]]
    if not held:
        return []
    # the innermost holds the others: a Cluster waits for its Machines and its OpenStackCluster
    depth = ["OpenStackMachine", "Machine", "MachineDeployment", "KubeadmControlPlane", "OpenStackCluster", "Cluster"]
    held.sort(key=lambda item: depth.index(item["kind"]) if item["kind"] in depth else 0)
    lines = tuple(
        f"{item['kind']} {item['namespace']}/{item['name']} is deleted since {item['deleting']}, held by "
        f"{', '.join(item['finalizers'])}"
        for item in held
    )
    first = held[0]
    named = f"kubectl --kubeconfig MANAGEMENT -n {first['namespace']}"
    steps = (
        f"{named} describe {first['kind'].lower()} {first['name']}   # events of the controller that holds it",
        f"{named} patch {first['kind'].lower()} {first['name']} --type merge "
        '-p \'{"metadata":{"finalizers":null}}\'   # last, when its things are gone: they are not deleted by this',
    )
    return [Cause("FINALIZERS", "Cluster API objects are held by their finalizers", SEEN - 1, lines, steps)]
