"""Plays the faults of Magnum's conductor: `create-failed`, `stale-status`, an application credential that is left.

The driver's files are not changed; what it is asked to do passes through here.
"""

# runs in the environment of the services, which the checks do not see
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import fnmatch
import functools
import re
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from faults import Application, Fault, Faults
from magnum import objects
from magnum.common import exception
from magnum.conductor.handlers import cluster_conductor, nodegroup_conductor

CASTS = {
    cluster_conductor: ("cluster_update", "cluster_delete", "cluster_resize"),
    nodegroup_conductor: ("nodegroup_create", "nodegroup_update", "nodegroup_delete"),
}
"""Handlers of casts; an upgrade is a call, whose answer the API waits for."""
LOOK = 0.05


class Reads:
    """How often each cluster was asked for, by its id or name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}

    def of(self, *names: str) -> int:
        """Of one cluster under its names."""
        with self._lock:
            return sum(self._counts.get(name, 0) for name in names)

    def add(self, name: str) -> None:
        """One more."""
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + 1


ONE = re.compile(r"/v1/clusters/([^/]+)(/nodegroups(/[^/]+)?)?/?$")


def counted(application: Application, reads: Reads) -> Application:
    """The API, with the GETs of each cluster and of its node groups counted when they have been answered."""

    def counting(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        answer = list(application(environ, start_response))
        found = ONE.match(environ.get("PATH_INFO", ""))
        if found and environ["REQUEST_METHOD"] == "GET":
            reads.add(found[1])
        return answer

    return counting


def install(faults: Faults, reads: Reads) -> None:
    """Put the faults between the conductor and its work; call it when the configuration has been read."""
    for module, names in CASTS.items():
        for name in names:
            setattr(module.Handler, name, _late(getattr(module.Handler, name), faults, reads))
    # not at the top: it registers options of its own
    from magnum_capi_helm import driver
    from magnum_capi_helm.common import app_creds

    driver.Driver.create_cluster = _failing(driver.Driver.create_cluster, faults)
    app_creds.delete_app_cred = _leaving(app_creds.delete_app_cred, faults)


def _failing(create: Callable[..., Any], faults: Faults) -> Callable[..., Any]:
    @functools.wraps(create)
    def create_cluster(self: Any, context: Any, cluster: Any, *args: Any) -> Any:
        # what a failed creation leaves is there: a real one fails when the work has begun
        made = create(self, context, cluster, *args)
        fault = _meant(faults, "create-failed", cluster)
        if fault and faults.take(fault):
            raise exception.MagnumException(message=fault["text"])
        return made

    return create_cluster


def _leaving(delete: Callable[..., Any], faults: Faults) -> Callable[..., Any]:
    @functools.wraps(delete)
    def delete_app_cred(cluster: Any, *args: Any) -> Any:
        if _meant(faults, "leave-behind", cluster, what="application-credential"):
            return None
        return delete(cluster, *args)

    return delete_app_cred


def _late(handle: Callable[..., Any], faults: Faults, reads: Reads) -> Callable[..., Any]:
    @functools.wraps(handle)
    def late(self: Any, context: Any, **named: Any) -> Any:
        cluster = named.get("cluster") or objects.Cluster.get_by_uuid(context, named["uuid"])
        fault = _meant(faults, "stale-status", cluster)
        if fault and faults.take(fault):
            _wait(fault, faults, reads, cluster)
        return handle(self, context, **named)

    return late


def _wait(fault: Fault, faults: Faults, reads: Reads, cluster: Any) -> None:
    """Until the cluster was asked for often enough, the time is over, or the fault is cleared."""
    names = (cluster.uuid, cluster.name)
    begun, end = reads.of(*names), time.monotonic() + fault["seconds"]
    while time.monotonic() < end and any(each["id"] == fault["id"] for each in faults.of("stale-status")):
        if 0 < fault["requests"] <= reads.of(*names) - begun:
            return
        time.sleep(LOOK)


def _meant(faults: Faults, kind: str, cluster: Any, **options: str) -> Fault | None:
    """The first fault of a kind, with these options, that means the cluster."""
    stack = cluster.stack_id or ""
    names = (stack, stack.rpartition("-")[0], (cluster.name or "").lower()[:30])
    for fault in faults.of(kind):
        if any(fault[key] != value for key, value in options.items()):
            continue
        wanted = fault["cluster"].lower()
        if any(fnmatch.fnmatchcase(name, wanted if name == stack else wanted[:30]) for name in names):
            return fault
    return None
