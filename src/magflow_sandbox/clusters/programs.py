"""Real programs behind pods: which pods, and how one is run.

A pod that carries one of these labels is not played by kwok. The agent does for it what a kubelet would: gives it an
address, a network namespace (joined by a veth, because such programs listen on every address), its service account's
token, its mounted secrets and environment; starts the real program with the pod's own arguments; and reports Running
and Ready only while the process lives and its readiness probe answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from magflow_sandbox.clusters import pods
from magflow_sandbox.clusters.api import Object


@dataclass(frozen=True)
class Real:
    """A kind of pod with a real program.

    Args:
        label: key and value by which its pods are known.
        program: in the toolchain.
        container: the container that it stands for; the first one when there is none of this name.
        memory: soft limit, MiB.
        hooks: port and paths (HTTPS) that must be served, too, before the pod is Ready. Where a kubelet would wait the
            probe's initial delay, this looks at what the delay is for: the training operator says that it is ready a
            moment before its webhook knows all kinds of jobs.
    """

    label: tuple[str, str]
    program: str
    container: str
    memory: int = 128
    hooks: tuple[int, tuple[str, ...]] | None = None


_JOBS = ("tfjob", "pytorchjob", "xgboostjob", "paddlejob", "jaxjob")
TABLE = (
    Real(
        ("control-plane", "kubeflow-training-operator"),
        "training-operator",
        "training-operator",
        hooks=(9443, tuple(f"/validate-kubeflow-org-v1-{kind}" for kind in _JOBS)),
    ),
)
LABELS: Mapping[str, str] = dict(entry.label for entry in TABLE)


def find(pod: Object) -> Real | None:
    """The entry of a pod, None when it is a fake one."""
    have = pods.labels(pod)
    return next((entry for entry in TABLE if have.get(entry.label[0]) == entry.label[1]), None)


def is_real(pod: Object) -> bool:
    """Whether a real program stands behind this pod."""
    return find(pod) is not None


def container(pod: Object, entry: Real) -> Object:
    """The container that the program stands for."""
    found: list[Object] = pod["spec"]["containers"]
    return next((item for item in found if item["name"] == entry.container), found[0])


def environment(pod: Object, item: Object, address: str) -> dict[str, str]:
    """The container's environment: plain values and those that come from the pod itself."""
    return {
        variable["name"]: variable["value"] if "value" in variable else _field(pod, variable, address)
        for variable in item.get("env") or []
    }


def probe(item: Object) -> tuple[int, str] | None:
    """Port and path of the HTTP readiness probe, None when there is none."""
    get: dict[str, Any] | None = (item.get("readinessProbe") or {}).get("httpGet")
    if not get:
        return None
    port = get["port"]
    if not isinstance(port, int):
        named = [entry["containerPort"] for entry in item.get("ports") or [] if entry.get("name") == port]
        if not named:
            return None
        port = named[0]
    return port, get.get("path", "/")


def status(
    pod: Object,
    entry: Real,
    *,
    address: str,
    host: str | None,
    started: str,
    now: str,
    running: bool,
    ready: bool,
    restarts: int,
) -> Object:
    """The status as a kubelet would write it; times of conditions that did not change are kept."""
    item = container(pod, entry)
    state: Object = {"running": {"startedAt": started}}
    if not running:
        message = "the program ended; it is started again after a pause"
        state = {"waiting": {"reason": "CrashLoopBackOff", "message": message}}
    containers = [
        {
            "name": each["name"],
            "image": each.get("image", ""),
            "imageID": "",
            "ready": ready if each is item else running,
            "started": running,
            "restartCount": restarts if each is item else 0,
            "state": state,
        }
        for each in pod["spec"]["containers"]
    ]
    values = {"PodReadyToStartContainers": True, "Initialized": True, "Ready": ready, "ContainersReady": ready}
    have = {old["type"]: old for old in pod.get("status", {}).get("conditions") or []}
    conditions = []
    for kind, value in {**values, "PodScheduled": True}.items():
        text = "True" if value else "False"
        old = have.get(kind, {})
        since = old["lastTransitionTime"] if old.get("status") == text and old.get("lastTransitionTime") else now
        reason = {} if value else {"reason": "ContainersNotReady", "message": "its readiness probe does not answer"}
        conditions.append({"type": kind, "status": text, "lastTransitionTime": since, **reason})
    node = {"hostIP": host, "hostIPs": [{"ip": host}]} if host else {}
    return {
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": pod.get("status", {}).get("startTime") or now,
        "conditions": conditions,
        "containerStatuses": containers,
        **node,
    }


def _field(pod: Object, variable: Object, address: str) -> str:
    path = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
    known = {
        "metadata.name": pod["metadata"]["name"],
        "metadata.namespace": pod["metadata"]["namespace"],
        "metadata.uid": pod["metadata"]["uid"],
        "spec.nodeName": pod["spec"].get("nodeName", ""),
        "spec.serviceAccountName": pod["spec"].get("serviceAccountName", "default"),
        "status.podIP": address,
    }
    return str(known.get(path, ""))
