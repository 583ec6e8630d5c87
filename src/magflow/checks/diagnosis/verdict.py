"""The verdict on one cluster."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from magflow.checks.diagnosis import blockers, reasons
from magflow.checks.diagnosis.model import Cause, Diagnosis, Verdict
from magflow.cloud.evidence import Evidence, Item

DELETE_WITHIN = 30.0
"""Minutes that a deletion may take; the Terraform provider's own limit (terraform-provider-openstack 3.4)."""
NOT_STARTED_AFTER = 2.0
"""Minutes after which a deletion that was asked for shows in Magnum's status: the request is a cast, not a call."""
HEALTH_LAGS = 5.0
"""Minutes after a change in which Magnum's health, asked for once a minute, may be that of before."""
CREATE_WITHIN = 60.0
"""Minutes, where the cluster has no create_timeout; Magnum's default."""


def diagnose(evidence: Evidence, *, delete_within: float = DELETE_WITHIN) -> Diagnosis:
    """Judges what was gathered.

    Args:
        evidence: of one cluster.
        delete_within: minutes that a deletion may take.
    """
    cluster = evidence.cluster
    if not cluster:
        verdict = Verdict.GONE if evidence.delete_asked else Verdict.NOT_FOUND
        return Diagnosis(evidence.name, "", verdict, unseen=tuple(evidence.unseen))
    status = str(cluster.get("status") or "UNKNOWN")
    action, _, state = status.partition("_")
    said = [*reasons.from_texts(evidence), *reasons.of_servers(evidence)]
    match state, action:
        case "FAILED", "DELETE":
            verdict, found = Verdict.DELETE_FAILED, [*said, *blockers.blockers(evidence)]
        case "FAILED", _:
            verdict = Verdict.UPDATE_FAILED if action == "UPDATE" else Verdict.CREATE_FAILED
            found = [*said, *reasons.of_nodes(evidence), *reasons.of_api(evidence)]
        case "IN_PROGRESS", "DELETE":
            verdict, found = _deleting(evidence, said, delete_within)
        case "IN_PROGRESS", _:
            verdict, found = _at_work(evidence, said, action)
        case _:
            verdict, found = _complete(evidence, said)
    return Diagnosis(
        cluster=str(cluster["name"]),
        id=str(cluster["uuid"]),
        verdict=verdict,
        causes=reasons.ranked(found),
        evidence=tuple(_lines(evidence, status)),
        unseen=tuple(evidence.unseen),
    )


def _at_work(evidence: Evidence, said: list[Cause], action: str) -> tuple[Verdict, list[Cause]]:
    begun, budget = _times(evidence)
    over = begun > budget
    found = [*said, *reasons.of_casts(evidence, begun)]
    if over:
        if _usable(evidence):
            return Verdict.STATUS_STALE, [*_stale(evidence), *found]
        return Verdict.OVERDUE, [*found, *reasons.of_nodes(evidence), *reasons.of_api(evidence)]
    if any(cause.code in reasons.FATAL for cause in said):
        return (Verdict.UPDATE_BLOCKED if action == "UPDATE" else Verdict.CREATE_BLOCKED), found
    return Verdict.IN_PROGRESS, found


def _deleting(evidence: Evidence, said: list[Cause], within: float) -> tuple[Verdict, list[Cause]]:
    begun, _ = _times(evidence)
    holding = blockers.blockers(evidence)
    told = any(cause.code.endswith("_IN_USE") for cause in said)
    if told or blockers.foreign(evidence) or (begun > within and holding):
        return Verdict.DELETE_BLOCKED, [*said, *holding]
    if begun > within:
        return Verdict.OVERDUE, [*said, *reasons.of_casts(evidence, begun)]
    return Verdict.IN_PROGRESS, [*said, *holding]


def _complete(evidence: Evidence, said: list[Cause]) -> tuple[Verdict, list[Cause]]:
    asked = _minutes(evidence.delete_asked, evidence.now)
    if evidence.delete_asked and asked >= NOT_STARTED_AFTER:
        lines = (f"asked for {asked:.0f} min ago; the status is still {evidence.cluster.get('status')}",)
        do = ("openstack coe service list   # is a conductor up?", "magflow destroy ENV   # asks again")
        source = "https://github.com/terraform-provider-openstack/terraform-provider-openstack/issues/1928"
        title = "Magnum took the request, and no conductor took it up"
        return Verdict.DELETE_NOT_STARTED, [Cause("CAST_LOST", title, reasons.SEEN, lines, do, source), *said]
    failed = [group for group in evidence.node_groups if str(group.get("status", "")).endswith("_FAILED")]
    nodes, api = reasons.of_nodes(evidence), reasons.of_api(evidence)
    codes = {cause.code for cause in nodes}
    if failed:
        told = tuple(f"node group {group['name']} is {group['status']}" for group in failed)
        cause = Cause("NODE_GROUP_FAILED", "Magnum gave a node group up", reasons.SEEN, told)
        return Verdict.NODE_GROUP_FAILED, [*said, cause, *nodes]
    if api:
        return Verdict.API_UNREACHABLE, [*said, *api]
    if "NODE_MISSING" in codes:
        return Verdict.NODE_MISSING, [*said, *nodes]
    if "NODE_NOT_READY" in codes:
        return Verdict.NODE_NOT_READY, [*said, *nodes]
    if evidence.cluster.get("health_status") == "UNHEALTHY":
        changed = str(evidence.cluster.get("updated_at") or evidence.cluster.get("created_at") or "")
        if _usable(evidence) and _minutes(changed, evidence.now) < HEALTH_LAGS:
            return Verdict.COMPLETE, said
        return Verdict.UNHEALTHY, said
    return Verdict.COMPLETE, []


def _stale(evidence: Evidence) -> list[Cause]:
    lines = tuple(_lines(evidence, str(evidence.cluster["status"])))
    do = (
        "openstack coe service list   # a conductor that hangs brings no status up to date; its operators restart it",
        "the cluster can be used meanwhile: magflow verify ENV",
    )
    source = "https://github.com/zonca/jupyterhub-deploy-kubernetes-jetstream/issues/104"
    title = "the conductor does not bring the status up to date"
    return [Cause("STATUS_STALE", title, reasons.SAID + 4, lines, do, source)]


def _usable(evidence: Evidence) -> bool:
    kube = evidence.kube
    ready = [node for node in kube.get("nodes", ()) if node["ready"]]
    return kube.get("healthz") == "ok" and 0 < sum(reasons.wanted(evidence).values()) <= len(ready)


def _times(evidence: Evidence) -> tuple[float, float]:
    """Minutes since Magnum began what it is at, and minutes that it may take."""
    cluster = evidence.cluster
    creating = str(cluster.get("status", "")).startswith("CREATE")
    begun = cluster.get("created_at") if creating else cluster.get("updated_at") or cluster.get("created_at")
    if evidence.delete_asked and str(cluster.get("status", "")).startswith("DELETE"):
        begun = evidence.delete_asked
    return _minutes(str(begun or ""), evidence.now), float(cluster.get("create_timeout") or CREATE_WITHIN)


def _minutes(since: str, until: str) -> float:
    if not since:
        return 0.0
    begun, now = (_moment(text) for text in (since, until))
    return max(0.0, (now - begun).total_seconds() / 60)


def _moment(text: str) -> dt.datetime:
    found = dt.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)


def _lines(evidence: Evidence, status: str) -> Iterable[str]:
    cluster, kube = evidence.cluster, evidence.kube
    begun, budget = _times(evidence)
    yield f"status {status}, health {cluster.get('health_status') or 'not told'}"
    if status.endswith("_IN_PROGRESS"):
        limit = f", create_timeout {budget:.0f} min" if not status.startswith("DELETE") else ""
        yield f"age {begun:.0f} min{limit}"
    for group in evidence.node_groups:
        yield f"node group {group['name']}: {group.get('status') or 'no status'}, {group['node_count']} asked"
    if kube:
        nodes = kube.get("nodes", ())
        ready = sum(node["ready"] for node in nodes)
        yield f"API {kube.get('address')}: healthz {kube.get('healthz') or kube.get('error') or 'no answer'}"
        if kube.get("reached"):
            yield f"nodes: {ready} of {len(nodes)} Ready, {sum(reasons.wanted(evidence).values())} asked"
    elif not cluster.get("api_address"):
        yield "Magnum gives no API address"
    for item in evidence.objects:
        if item["kind"] in {"Cluster", "OpenStackCluster", "KubeadmControlPlane", "MachineDeployment"}:
            yield f"{item['kind']} {item['name']}: {_state(item)}"
    broken = [server for server in evidence.servers if server["status"] not in {"ACTIVE", "BUILD"}]
    if evidence.servers:
        yield f"servers: {len(evidence.servers)}" + "".join(f", {s['name']} {s['status']}" for s in broken)


def _state(item: Item) -> str:
    if item["deleting"]:
        return "being deleted"
    wrong = [c["type"] for c in item["conditions"] if c["status"] != "True"]
    if item["phase"] or wrong:
        return str(item["phase"] or f"not yet: {', '.join(wrong)}")
    return "ready" if item["conditions"] or item.get("says_ready") else "says nothing yet"
