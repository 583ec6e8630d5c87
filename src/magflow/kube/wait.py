"""Single looks at live objects: a verdict each, no sleeping; and the one loop that repeats them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from magflow.errors import MagflowError
from magflow.kube.client import Kube
from magflow.kube.objects import Object, condition

PAUSE = 0.5
"""Seconds between two looks."""


class Verdict(Enum):
    """How an object stands."""

    MET = "met"
    NOT_YET = "not yet"
    NEVER = "never"


@dataclass(frozen=True)
class Look:
    """What one look saw.

    Attributes:
        verdict: whether it is as wished, may become so, or cannot any more.
        message: why, in words.
    """

    verdict: Verdict
    message: str


def has_condition(
    kube: Kube, api_version: str, kind: str, name: str, namespace: str | None = None, *, wished: str = "Ready"
) -> Look:
    """Whether an object's condition is True.

    Args:
        kube: the cluster.
        api_version: of the object.
        kind: of the object.
        name: of the object.
        namespace: of the object.
        wished: condition type, for example Available, Ready, Established, Succeeded.
    """
    return judge(
        kube.get(api_version, kind, name, namespace), wished, f"{kind} {namespace or ''}/{name}".replace(" /", " ")
    )


def until(
    kube: Kube,
    api_version: str,
    kind: str,
    name: str,
    namespace: str | None = None,
    *,
    wished: str = "Ready",
    seconds: float = 300.0,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Looks until the condition is True; returns what the last look saw.

    Raises:
        MagflowError: when the object failed, or time is up.
    """
    end = clock() + seconds
    while True:
        look = has_condition(kube, api_version, kind, name, namespace, wished=wished)
        if look.verdict is Verdict.MET:
            return look.message
        if look.verdict is Verdict.NEVER:
            raise MagflowError(look.message, where=kube.host)
        if clock() >= end:
            raise MagflowError(f"{look.message} (after {seconds:.0f} s)", where=kube.host)
        sleep(PAUSE)


def judge(obj: Object | None, wished: str, subject: str) -> Look:
    """The verdict on an object that was read; a Failed condition ends every wait at once."""
    if obj is None:
        return Look(Verdict.NOT_YET, f"{subject} is not there")
    status = obj.get("status") or {}
    if status.get("observedGeneration", obj["metadata"].get("generation")) != obj["metadata"].get("generation"):
        return Look(Verdict.NOT_YET, f"{subject}: its controller has not seen the last change")
    if condition(obj, wished) == "True":
        return Look(Verdict.MET, f"{subject} is {wished}")
    if wished != "Failed" and condition(obj, "Failed") == "True":
        return Look(Verdict.NEVER, f"{subject} failed: {_words(obj, 'Failed')}")
    return Look(Verdict.NOT_YET, f"{subject} is not {wished}: {_words(obj, wished) or _all(obj)}")


def _words(obj: Object, kind: str) -> str:
    conditions = (obj.get("status") or {}).get("conditions") or []
    found: Object = next((item for item in conditions if item.get("type") == kind), {})
    return ": ".join(str(found[key]) for key in ("reason", "message") if found.get(key))


def _all(obj: Object) -> str:
    conditions = (obj.get("status") or {}).get("conditions") or []
    return ", ".join(f"{item['type']}={item['status']}" for item in conditions) or "it has no conditions yet"
