"""What a cluster's own controllers made in the cloud goes first: load balancers of Services, volumes of claims.

Magnum deletes the cluster, not these (stackhpc/magnum-terraform's README warns of it).
"""

from __future__ import annotations

from collections.abc import Callable

import tenacity

from magflow.cloud.ownership import Marks
from magflow.errors import MagflowError
from magflow.kube.client import Kube
from magflow.kube.errors import ApiError, UnknownKind
from magflow.kube.objects import Object

WITHIN = 300.0
"""Seconds that the cluster's controllers get to delete load balancers and volumes."""

DRIVERS = {"cinder.csi.openstack.org": "volume", "nfs.manila.csi.openstack.org": "share"}
"""CSI drivers whose volumes are things of the cloud (cloud-provider-openstack)."""


def held(kube: Kube) -> Marks:
    """Ids of the volumes and shares behind the cluster's PersistentVolumes, of whatever reclaim policy.

    They are the surest sign of whose a volume is: Heat's Cinder CSI writes the same cluster name into all of them.
    """
    made: dict[str, set[str]] = {}
    for volume in kube.each("v1", "PersistentVolume"):
        csi, cinder = volume["spec"].get("csi") or {}, volume["spec"].get("cinder") or {}
        # a static volume is somebody's that was there before
        if (volume["metadata"].get("annotations") or {}).get("pv.kubernetes.io/provisioned-by") is None:
            continue
        if csi.get("driver") in DRIVERS and csi.get("volumeHandle"):
            made.setdefault(DRIVERS[csi["driver"]], set()).add(csi["volumeHandle"])
        if cinder.get("volumeID"):
            made.setdefault("volume", set()).add(cinder["volumeID"])
    return Marks(made={kind: frozenset(ids) for kind, ids in made.items()})


def release(kube: Kube, tell: Callable[[str], None], within: float = WITHIN) -> str:
    """Deletes Services of type LoadBalancer, PersistentVolumeClaims and what mounts these; waits until they are gone.

    Args:
        kube: the cluster.
        tell: is told what is deleted.
        within: seconds to wait.

    Returns:
        what was done, in a sentence.

    Raises:
        CannotTell: the cluster does not answer.
        MagflowError: something does not go.
    """
    first = _holders(kube)
    for kind, namespace, name in first:
        tell(f"deleting {kind} {namespace}/{name}")
        kube.delete("v1", kind, name, namespace)
    gone = tenacity.Retrying(
        stop=tenacity.stop_after_delay(within),
        wait=tenacity.wait_exponential(multiplier=0.5, max=5),
        retry=tenacity.retry_if_result(bool),
    )

    def look() -> list[tuple[str, str, str]]:
        left = _holders(kube)
        _unmount(kube, {(space, name) for kind, space, name in left if kind == "PersistentVolumeClaim"}, tell)
        return [*left, *_volumes(kube, {(space, name) for kind, space, name in first})]

    try:
        gone(look)
    except tenacity.RetryError:
        words = ", ".join(f"{kind} {f'{space}/' if space else ''}{name}" for kind, space, name in look())
        raise MagflowError(
            f"still there after {within:.0f} s: {words}", hint="look at their finalizers and events, then again"
        ) from None
    return (
        f"{len(first)} load balancers and claims were released" if first else "no load balancer and no volume is held"
    )


def _holders(kube: Kube) -> list[tuple[str, str, str]]:
    services = [s for s in kube.each("v1", "Service") if s["spec"].get("type") == "LoadBalancer"]
    claims = list(kube.each("v1", "PersistentVolumeClaim"))
    return [(o["kind"], o["metadata"]["namespace"], o["metadata"]["name"]) for o in (*services, *claims)]


def _volumes(kube: Kube, claims: set[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Volumes of deleted claims that their driver still deletes; one to be retained stays, and the proof lists it."""
    return [
        ("PersistentVolume", "", volume["metadata"]["name"])
        for volume in kube.each("v1", "PersistentVolume")
        if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
        and _claim(volume) in claims
        and ((volume["spec"].get("csi") or {}).get("driver") in DRIVERS or volume["spec"].get("cinder"))
    ]


def _claim(volume: Object) -> tuple[str, str]:
    reference = volume["spec"].get("claimRef") or {}
    return str(reference.get("namespace")), str(reference.get("name"))


def _unmount(kube: Kube, claims: set[tuple[str, str]], tell: Callable[[str], None]) -> None:
    """Deletes what keeps a claim in use: the topmost owner of each pod that mounts it, else the pod."""
    if not claims:
        return
    done = set()
    for pod in kube.each("v1", "Pod"):
        space = pod["metadata"]["namespace"]
        mounted = (v.get("persistentVolumeClaim", {}).get("claimName") for v in pod["spec"].get("volumes") or [])
        if not any((space, name) in claims for name in mounted):
            continue
        version, kind, name = _top(kube, pod, space)
        if (kind, space, name) not in done:
            done.add((kind, space, name))
            tell(f"deleting {kind} {space}/{name}, which mounts a claim")
            kube.delete(version, kind, name, space)


def _top(kube: Kube, item: Object, namespace: str) -> tuple[str, str, str]:
    here = (item["apiVersion"], item["kind"], item["metadata"]["name"])
    owner = next((ref for ref in item["metadata"].get("ownerReferences") or [] if ref.get("controller")), None)
    if owner is None:
        return here
    try:
        above = kube.get(owner["apiVersion"], owner["kind"], owner["name"], namespace)
    except (ApiError, UnknownKind):
        return here
    # CannotTell goes through: then the cluster does not answer
    return _top(kube, above, namespace) if above else here
