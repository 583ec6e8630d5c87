"""Stage training_operator: the TFJob API is served, the operator is ready, its webhook refuses a bad job."""

from __future__ import annotations

from typing import Any

from magflow.checks.model import Problem, check
from magflow.checks.world import World
from magflow.kube.errors import ApiError, UnknownKind

DEPLOYMENT = "training-operator"
KIND = ("kubeflow.org/v1", "TFJob")


@check("tfjob-is-served", "the API serves TFJob of kubeflow.org/v1", within=30, fatal=True)
def is_served(world: World) -> str:
    """Looks the kind up in discovery."""
    try:
        return world.kube.resource(*KIND).path()
    except UnknownKind as error:
        raise Problem(error.what, hint="magflow deploy --only training_operator") from None


@check("operator-is-ready", "the operator's deployment is available", within=180)
def is_ready(world: World) -> str:
    """Reads the deployment: observed and available; says its image, which carries a build and no release."""
    training = world.settings.training
    found = world.kube.get("apps/v1", "Deployment", DEPLOYMENT, training.namespace)
    if found is None:
        raise Problem(
            f"there is no deployment {training.namespace}/{DEPLOYMENT}", hint="magflow deploy --only training_operator"
        )
    wanted, status = found["spec"].get("replicas", 1), found.get("status") or {}
    if status.get("observedGeneration", 0) < found["metadata"]["generation"]:
        raise Problem("the controller has not seen the deployment yet")
    available = status.get("availableReplicas", 0)
    if not wanted or available < wanted:
        raise Problem(
            f"{available} of {wanted} replicas are available{_reason(world, training.namespace)}",
            hint=f"kubectl -n {training.namespace} describe pods -l control-plane=kubeflow-training-operator",
        )
    return f"{available} of {wanted}, image {found['spec']['template']['spec']['containers'][0]['image']}"


@check("webhook-rejects-bad-job", "the operator's webhook refuses a TFJob without a container 'tensorflow'", within=120)
def webhook_rejects(world: World) -> str:
    """Sends a dry run of a bad job: only an answering webhook refuses it, since the CRD alone would take it."""
    path = world.kube.resource(*KIND).path("default")
    try:
        world.kube.call("POST", path, query={"dryRun": "All"}, body=_bad_job())
    except ApiError as error:
        if "admission webhook" in error.what and "denied the request" in error.what:
            return error.what.split("denied the request:")[-1].strip()[:120]
        raise Problem(f"it answered something else: {error.what}", hint="look at the operator's log") from None
    raise Problem(
        "the bad job was accepted: no webhook stands before TFJobs", hint="magflow deploy --only training_operator"
    )


def _bad_job() -> dict[str, Any]:
    container = {"name": "not-tensorflow", "image": "none.invalid/none"}
    worker = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    return {
        "apiVersion": KIND[0],
        "kind": KIND[1],
        "metadata": {"name": "magflow-webhook-probe", "namespace": "default"},
        "spec": {"tfReplicaSpecs": {"Worker": worker}},
    }


def _reason(world: World, namespace: str) -> str:
    pods = world.kube.list("v1", "Pod", namespace, labels="control-plane=kubeflow-training-operator")
    for pod in pods:
        for status in (pod.get("status") or {}).get("containerStatuses") or []:
            waiting = (status.get("state") or {}).get("waiting") or {}
            if waiting.get("reason"):
                return f" ({pod['metadata']['name']}: {waiting['reason']} {waiting.get('message', '')})".rstrip()
    return "" if pods else " (no pod has been made)"
