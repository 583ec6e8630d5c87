"""Stage smoke: a TFJob succeeds, and its pods, services, events and status tell the same story."""

from __future__ import annotations

import datetime as dt
from typing import Any

from magflow.checks.model import NotApplicable, Problem, check
from magflow.checks.training_operator import KIND
from magflow.checks.world import World

FIELDS = ("type", "status", "reason", "message", "lastUpdateTime", "lastTransitionTime")
"""The six fields of a job condition (training operator, common_types.go)."""

JOB = "training.kubeflow.org/job-name"


def job(world: World) -> dict[str, Any]:
    """The smoke job.

    Raises:
        Problem: it is not there.
    """
    smoke = world.settings.smoke
    found = world.kube.get(*KIND, smoke.name, smoke.namespace)
    if found is None:
        raise Problem(f"there is no TFJob {smoke.namespace}/{smoke.name}", hint="magflow deploy --only smoke")
    return found


def wanted(world: World) -> dict[str, int]:
    """Replicas by type, as the operator writes them in labels (lower case)."""
    smoke = world.settings.smoke
    return {"chief": 1, "worker": smoke.workers} | ({"ps": smoke.ps} if smoke.ps else {})


def conditions(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The job's conditions by type."""
    return {condition["type"]: condition for condition in (found.get("status") or {}).get("conditions") or []}


@check("job-succeeds", "the smoke job succeeds", within=300, fatal=True)
def succeeds(world: World) -> str:
    """Reads the conditions; Failed ends the wait."""
    smoke = world.settings.smoke
    now = conditions(job(world))
    for kind in ("Failed", "Succeeded"):
        condition = now.get(kind, {})
        if condition.get("status") == "True":
            if kind == "Failed":
                raise Problem(
                    f"{condition.get('reason')}: {condition.get('message')}",
                    hint=f"kubectl -n {smoke.namespace} logs -l {JOB}={smoke.name} --prefix",
                    final=True,
                )
            return str(condition.get("message"))
    standing = [kind for kind, condition in now.items() if condition.get("status") == "True"]
    raise Problem(
        f"it is {', '.join(standing) or 'without any condition'}",
        hint="no condition at all: the operator does not run, or the job is not valid; else look at its pods",
    )


@check("conditions-are-whole", "Created, Running and Succeeded are there with all six fields")
def conditions_are_whole(world: World) -> str:
    """Looks at each condition's fields."""
    now = conditions(job(world))
    missing = [kind for kind in ("Created", "Running", "Succeeded") if kind not in now]
    holes = [f"{kind}.{field}" for kind, condition in now.items() for field in FIELDS if not condition.get(field)]
    if missing or holes:
        raise Problem(f"missing: {', '.join([*missing, *holes])}")
    return ", ".join(f"{kind}={condition['status']}" for kind, condition in now.items())


@check(
    "pods-are-as-claimed",
    "each replica that the status counts as succeeded did, or was stopped when the job ended",
    within=30,
)
def pods_are_as_claimed(world: World) -> str:
    """Compares replicaStatuses with pods and events.

    When the chief ends, cleanPodPolicy Running deletes pods that still run, and the operator goes on to count them as
    succeeded (training operator, common/job.go). So a replica without a succeeded pod must have a deletion event.
    """
    found = job(world)
    statuses = {
        name.lower(): claim for name, claim in ((found.get("status") or {}).get("replicaStatuses") or {}).items()
    }
    pods = {pod["metadata"]["name"]: pod for pod in _owned(world, "Pod", found)}
    stopped = {name for event in _events(world, found) if (name := _deleted_pod(event))}
    wrong, seen = [], []
    for kind, count in wanted(world).items():
        claimed = statuses.get(kind, {}).get("succeeded", 0)
        names = [f"{found['metadata']['name']}-{kind}-{index}" for index in range(count)]
        done = [name for name in names if (pods.get(name, {}).get("status") or {}).get("phase") == "Succeeded"]
        ended = [name for name in names if name not in done and (name in stopped or _too_old_for_events(found))]
        if claimed != count or len(done) + len(ended) != count:
            wrong.append(f"{kind}: {claimed} of {count} claimed, {len(done)} pods succeeded, {len(ended)} were stopped")
        seen.append(f"{kind} {len(done)} succeeded" + (f", {len(ended)} stopped" if ended else ""))
    strangers = sorted(
        set(pods) - {f"{found['metadata']['name']}-{k}-{i}" for k, n in wanted(world).items() for i in range(n)}
    )
    if strangers:
        wrong.append(f"pods that are not named JOB-TYPE-INDEX: {', '.join(strangers)}")
    if wrong:
        raise Problem("; ".join(wrong), hint=f"kubectl -n {found['metadata']['namespace']} get pods,events")
    return "; ".join(seen)


@check("services-are-there", "each replica that is still there has its service")
def services_are_there(world: World) -> str:
    """The operator makes one headless service a replica, and deletes it with the pod."""
    found = job(world)
    services = {service["metadata"]["name"]: service for service in _owned(world, "Service", found)}
    lacking = [
        pod["metadata"]["name"] for pod in _owned(world, "Pod", found) if pod["metadata"]["name"] not in services
    ]
    if lacking:
        raise Problem(f"no service for {', '.join(lacking)}")
    if not services:
        raise Problem("the job has no service")
    headed = [name for name, service in services.items() if service["spec"].get("clusterIP") != "None"]
    if headed:
        raise Problem(f"not headless: {', '.join(headed)}")
    return ", ".join(sorted(services))


@check("events-tell", "the job's events tell of the pods that were made", within=15)
def events_tell(world: World) -> str:
    """Reads the job's events. The API server keeps them for an hour, so later there are none."""
    found = job(world)
    reasons = sorted({event.get("reason", "") for event in _events(world, found)})
    if not reasons and _too_old_for_events(found):
        raise NotApplicable("the job ended more than an hour ago; the API server keeps events for an hour")
    if not any("SuccessfulCreatePod" in reason for reason in reasons):
        raise Problem(f"no SuccessfulCreatePod event, only: {', '.join(reasons) or 'none'}")
    return ", ".join(reasons)


def _events(world: World, found: dict[str, Any]) -> list[dict[str, Any]]:
    fields = f"involvedObject.uid={found['metadata']['uid']}"
    return world.kube.list("v1", "Event", found["metadata"]["namespace"], fields=fields)


def _deleted_pod(event: dict[str, Any]) -> str | None:
    """The pod that an event says was deleted: its message is "Deleted pod: NAME"."""
    if event.get("reason") != "SuccessfulDeletePod":
        return None
    return str(event.get("message", "")).rpartition(" ")[2] or None


def _too_old_for_events(found: dict[str, Any]) -> bool:
    hour_ago = (dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return bool(conditions(found).get("Succeeded", {}).get("lastTransitionTime", hour_ago) < hour_ago)


def _owned(world: World, kind: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    things = world.kube.list("v1", kind, found["metadata"]["namespace"], labels=f"{JOB}={found['metadata']['name']}")
    uid = found["metadata"]["uid"]
    # what a former job of the same name left has the labels too, but another owner
    return [t for t in things if uid in {o["uid"] for o in t["metadata"].get("ownerReferences") or []}]
