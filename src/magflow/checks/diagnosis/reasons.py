"""Causes out of evidence: from the texts that services wrote, and from what is there or is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from magflow.checks.diagnosis.model import Cause
from magflow.cloud.evidence import Evidence
from magflow.rules import causes

SAID, SEEN, UNKNOWN = 30, 20, 10
"""Weights: a service says so in words that are known; it follows from what is there; a text that is not known."""

SYMPTOMS = {"SERVER_ERROR", "TIMEOUT", "SERVICE_ERROR", "NODE_NOT_READY"}
"""What happens for many reasons: any other known text is nearer to the reason."""

FATAL = {
    "QUOTA",
    "NO_VALID_HOST",
    "PORT_BINDING",
    "FLAVOR",
    "KUBE_VERSION",
    "IMAGE",
    "KEYPAIR",
    "USER_DATA_TOO_LARGE",
    "TRUST",
    "CREDENTIAL",
    "NO_SERVICE",
    "NETWORK",
    "HELM",
    "SERVER_ERROR",
}
"""What no waiting heals: somebody has to change something."""

UNKNOWN_TEXT = "UNKNOWN_TEXT"
WAITING = "WAITING"
"""What a driver says while all goes well, too."""


def from_texts(evidence: Evidence) -> list[Cause]:
    """A cause for each thing that the texts speak of; a text that is not known is shown as it is."""
    found: dict[str, Cause] = {}
    for where, text in evidence.texts():
        known = causes.of(text)
        line = f"{where}: {text}"
        if known is None:
            cause = Cause(UNKNOWN_TEXT, "a text that is in no table; it is shown as it is", UNKNOWN, (line,))
        else:
            weight = UNKNOWN if known.code == WAITING else SAID - 5 * (known.code in SYMPTOMS)
            # to look at Cluster API is no step for one who has
            looked = known.code == WAITING and evidence.objects
            do = () if looked else tuple(_filled(step, evidence) for step in known.do)
            cause = Cause(known.code, known.title, weight, (line,), do, known.source)
        before = found.get(cause.code)
        if before and line not in before.evidence:
            # several say the same: the likelier it is
            cause = replace(
                before, evidence=(*before.evidence, line), weight=min(before.weight + 1, weight_limit(before))
            )
        found[cause.code] = cause
    if "QUOTA" in found and evidence.quotas:
        quota = found["QUOTA"]
        found["QUOTA"] = replace(quota, evidence=(*quota.evidence, *evidence.quotas))
    return list(found.values())


def weight_limit(cause: Cause) -> int:
    """How far a cause may rise by being said more than once; it does not pass a surer kind of cause."""
    return cause.weight // 5 * 5 + 4


def of_servers(evidence: Evidence) -> list[Cause]:
    """Servers in ERROR about which nobody said a reason."""
    broken = [server for server in evidence.servers if server["status"] == "ERROR" and not server["fault"]]
    if not broken:
        return []
    known = causes.named("SERVER_ERROR")
    lines = tuple(f"server {server['name']} ({server['id']}) is in ERROR" for server in broken)
    do = tuple(f"openstack server show {server['id']} -c fault" for server in broken)
    return [Cause(known.code, known.title, SEEN, lines, do, known.source)]


def of_nodes(evidence: Evidence) -> list[Cause]:
    """Nodes that are missing or not Ready, when the cluster's API answered."""
    if not evidence.kube.get("reached") or evidence.kube.get("error"):
        return []
    found = []
    nodes = evidence.kube["nodes"]
    missing = _missing(evidence)
    if missing:
        lines = tuple(f"node group {group}: {have} of {want} nodes have joined" for group, have, want in missing)
        steps = (
            f"openstack server list --name {_stack(evidence)}",
            "openstack console log show SERVER   # why does it not join?",
        )
        found.append(Cause("NODE_MISSING", "machines have not become nodes", SEEN, lines, steps))
    unready = [node for node in nodes if not node["ready"]]
    if unready:
        known = causes.named("NODE_NOT_READY")
        lines = tuple(f"node {node['name']}: {node['reason'] or 'no Ready condition'}" for node in unready)
        do = (*(f"kubectl describe node {node['name']}" for node in unready[:3]), *known.do[1:])
        found.append(Cause(known.code, known.title, SEEN + 1, lines, do, known.source))
    return found


def of_api(evidence: Evidence) -> list[Cause]:
    """The cluster's API does not answer, although it has an address."""
    kube, address = evidence.kube, evidence.cluster.get("api_address")
    if not address or not kube or (kube.get("reached") and not kube.get("error")):
        return []
    lines = (f"{address}: {kube.get('error') or 'no answer'}",)
    do = (
        f"curl -k {address}/healthz   # from here, and from a host in the cloud",
        "is the address routed from this machine, and does a security group let it in?",
    )
    return [Cause("API_UNREACHABLE", "the cluster's API does not answer from here", SEEN, lines, do)]


def of_casts(evidence: Evidence, minutes: float) -> list[Cause]:
    """A request that Magnum took and that no driver ever took up: nothing at all was made.

    Args:
        evidence: what was seen.
        minutes: how long Magnum has been at work.
    """
    made = (evidence.servers, evidence.ports, evidence.objects, evidence.stack, evidence.networks)
    if any(made) or minutes < LOST_AFTER or evidence.cluster.get("api_address"):
        return []
    lines = (
        f"after {minutes:.0f} min the cluster has no server, port, network, stack or Cluster API object",
        f"stack_id: {evidence.cluster.get('stack_id') or 'none'}",
    )
    do = (
        "openstack coe service list   # is a conductor up?",
        f"openstack coe cluster delete {evidence.cluster.get('uuid')}   # and make it anew",
    )
    source = "https://github.com/vexxhost/magnum-cluster-api/issues/57"
    return [Cause("CAST_LOST", "the conductor lost the request, or never began", SEEN, lines, do, source)]


LOST_AFTER = 10.0
"""Minutes after which a driver has made at least a network or a stack."""


def ranked(found: Iterable[Cause]) -> tuple[Cause, ...]:
    """The likeliest first; one cause of each code, with what all have seen."""
    merged: dict[str, Cause] = {}
    for cause in found:
        before = merged.get(cause.code)
        if before:
            lines = tuple(dict.fromkeys((*before.evidence, *cause.evidence)))
            steps = tuple(dict.fromkeys((*cause.do, *before.do)))
            best = max(before, cause, key=lambda item: item.weight)
            merged[cause.code] = replace(best, evidence=lines, do=steps)
        else:
            merged[cause.code] = cause
    return tuple(sorted(merged.values(), key=lambda cause: -cause.weight))


def wanted(evidence: Evidence) -> dict[str, int]:
    """Nodes that each group should have; the control plane's group is `control-plane`."""
    scaled = str((evidence.cluster.get("labels") or {}).get("auto_scaling_enabled", "")).lower() == "true"
    counts: dict[str, int] = {}
    for group in evidence.node_groups:
        master = group.get("role") == "master"
        least = group.get("min_node_count") if scaled and not master else None
        key = "control-plane" if master else str(group["name"])
        counts[key] = counts.get(key, 0) + int(group["node_count"] if least is None else least)
    return counts


def _missing(evidence: Evidence) -> list[tuple[str, int, int]]:
    nodes, asked = evidence.kube["nodes"], wanted(evidence)
    if len(nodes) >= sum(asked.values()):
        return []
    have = {group: sum(node["group"] == group for node in nodes) for group in asked}
    return [(group, have[group], count) for group, count in asked.items() if have[group] < count]


def _stack(evidence: Evidence) -> str:
    return str((evidence.stack or {}).get("name") or evidence.cluster.get("stack_id") or "CLUSTER")


def _filled(step: str, evidence: Evidence) -> str:
    cluster = evidence.cluster
    words = {"{name}": cluster.get("name"), "{id}": cluster.get("uuid"), "{stack}": _stack(evidence)}
    for word, value in words.items():
        step = step.replace(word, str(value or word))
    return step
