"""Objects as data: which one it is, in which wave it goes, which of its fields are not ours to send."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from magflow.errors import MagflowError

Object = dict[str, Any]


class Wave(IntEnum):
    """The order of writes: each wave needs what the ones before it bring."""

    NAMESPACES = 0
    DEFINITIONS = 1
    CONFIGURATION = 2
    WORKLOADS = 3
    SERVICES = 4
    WEBHOOKS = 5
    CUSTOM = 6


WAVES = {
    "Namespace": Wave.NAMESPACES,
    "CustomResourceDefinition": Wave.DEFINITIONS,
    "DaemonSet": Wave.WORKLOADS,
    "Deployment": Wave.WORKLOADS,
    "StatefulSet": Wave.WORKLOADS,
    "ReplicaSet": Wave.WORKLOADS,
    "Pod": Wave.WORKLOADS,
    "Job": Wave.WORKLOADS,
    "CronJob": Wave.WORKLOADS,
    "PodDisruptionBudget": Wave.WORKLOADS,
    "HorizontalPodAutoscaler": Wave.WORKLOADS,
    "Service": Wave.SERVICES,
    "Ingress": Wave.SERVICES,
    "APIService": Wave.SERVICES,
    "MutatingWebhookConfiguration": Wave.WEBHOOKS,
    "ValidatingWebhookConfiguration": Wave.WEBHOOKS,
}
"""Waves of the built-in kinds; other kinds of a built-in group are configuration."""

BUILT_IN_GROUPS = {
    "",
    "apps",
    "autoscaling",
    "batch",
    "policy",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
}
"""Groups that the API server itself serves; others may lie under k8s.io too (gateway.networking.k8s.io)."""


@dataclass(frozen=True, order=True)
class Identity:
    """Names one object of a cluster."""

    api_version: str
    kind: str
    namespace: str | None
    name: str

    @classmethod
    def of(cls, obj: Object) -> Identity:
        """The identity that an object's own fields give."""
        meta = obj["metadata"]
        return cls(obj["apiVersion"], obj["kind"], meta.get("namespace"), meta["name"])

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


def flatten(objects: Iterable[Any]) -> Iterator[Object]:
    """The objects as they can be sent: lists unpacked, fields that are not ours left out.

    Raises:
        MagflowError: for something that is no object, with its place in the input.
    """
    for index, obj in enumerate(objects):
        if not obj:
            continue
        if not isinstance(obj, dict) or not obj.get("apiVersion") or not obj.get("kind"):
            raise MagflowError(f"object {index} has no apiVersion and kind", where=f"objects[{index}]")
        if obj["kind"] == "List":
            yield from flatten(obj.get("items") or [])
            continue
        meta = obj.get("metadata")
        if not isinstance(meta, dict) or not meta.get("name"):
            raise MagflowError(
                f"a {obj['kind']} has no metadata.name; server-side apply needs one (generateName does not do)",
                where=f"objects[{index}]",
            )
        yield sendable(obj)


def sendable(obj: Object) -> Object:
    """A copy without the fields that controllers own.

    Left out: status; null creationTimestamp; empty labels, annotations and data; an empty caBundle (or any, where an
    annotation asks cert-manager to inject one); the rules of a ClusterRole that the API server aggregates. Sending them
    would fight their owners.
    """
    obj = copy.deepcopy(obj)
    obj.pop("status", None)
    meta = obj["metadata"]
    for key in ("creationTimestamp", "managedFields", "resourceVersion", "uid", "generation"):
        meta.pop(key, None)
    for key in ("labels", "annotations"):
        if not meta.get(key):  # an empty map would be a claim on all of them
            meta.pop(key, None)
    for key in ("data", "stringData", "binaryData"):
        if key in obj and not obj[key]:  # as kustomize writes secrets that a controller fills
            obj.pop(key)
    injected = any(key.startswith("cert-manager.io/inject-") for key in meta.get("annotations") or {})
    for holder in _ca_holders(obj):
        # "Cg==" is a newline: the placeholder that kubebuilder scaffolds
        if injected or holder.get("caBundle") in (None, "", "Cg=="):
            holder.pop("caBundle", None)
    if obj["kind"] == "ClusterRole" and obj.get("aggregationRule"):
        obj.pop("rules", None)
    return obj


def wave(obj: Object) -> Wave:
    """The wave that an object belongs to."""
    if obj["kind"] in WAVES:
        return WAVES[obj["kind"]]
    group = obj["apiVersion"].rpartition("/")[0]
    return Wave.CONFIGURATION if group in BUILT_IN_GROUPS else Wave.CUSTOM


def condition(obj: Object | None, kind: str) -> str:
    """The status (`True`, `False`, `Unknown`) of a condition of a live object; empty when it has none."""
    conditions = ((obj or {}).get("status") or {}).get("conditions") or []
    return next((str(item.get("status")) for item in conditions if item.get("type") == kind), "")


def _ca_holders(obj: Object) -> Iterator[Object]:
    match obj["kind"]:
        case "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration":
            yield from (hook["clientConfig"] for hook in obj.get("webhooks") or [] if hook.get("clientConfig"))
        case "CustomResourceDefinition":
            webhook = ((obj.get("spec") or {}).get("conversion") or {}).get("webhook") or {}
            if webhook.get("clientConfig"):
                yield webhook["clientConfig"]
        case "APIService":
            if obj.get("spec"):
                yield obj["spec"]
