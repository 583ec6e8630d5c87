"""What the faults that are asked for mean for one cluster; without faults every answer is empty."""

from __future__ import annotations

import fnmatch
import logging
from collections.abc import Iterable

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters.cluster_api import Object, View
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.model import (
    CreateFailed,
    DeleteBlocked,
    Fault,
    LeaveBehind,
    MachineFailed,
    NodeNotReady,
    OfCluster,
    Stuck,
)
from magflow_sandbox.faults.reasons import MACHINE_FAILED, Reason
from magflow_sandbox.faults.store import Store
from magflow_sandbox.home import Home

LOG = logging.getLogger("controller")
UNREACHED = "Failed to list nodes which are hosting the etcd members"
"""What the kubeadm control plane controller says of a cluster whose API it does not reach."""


class Faulty:
    """The faults of one cluster, as they were at the last `look`.

    Args:
        stack: the cluster's name with Cluster API (Magnum's stack_id).
    """

    def __init__(self, home: Home, stack: str) -> None:
        self.store, self.stack = Store(home), stack
        self._faults: list[tuple[str, Fault]] = []

    def look(self) -> None:
        """Read them anew; those that do not read are told in the log and do not count."""
        try:
            self._faults = [
                (item.id, item.fault)
                for item in self.store.active()
                if isinstance(item.fault, OfCluster) and item.fault.concerns(self.stack)
            ]
        except SandboxError as error:
            LOG.warning("%s", error)
            self._faults = []

    def stuck(self, view: View) -> str | None:
        """Where the creation stops (`Stuck.at`), None when it goes on; a cluster that was ready once is not meant."""
        if view.cluster.get("status", {}).get("controlPlaneReady"):
            return None
        for _, fault in self._faults:
            if isinstance(fault, Stuck):
                return fault.at
            if isinstance(fault, CreateFailed):
                return "api"
        return None

    def failed_machines(self, view: View) -> dict[str, Reason]:
        """Machines that fail: name -> why. One that was a node once does not."""
        found: dict[str, Reason] = {}
        for _, fault in self._faults:
            if isinstance(fault, MachineFailed):
                young = [item for item in view.machines if not item.get("status", {}).get("nodeRef")]
                for name in _chosen(young, fault.group, fault.count):
                    found[name] = MACHINE_FAILED[fault.reason]
        return found

    def bad_nodes(self, view: View) -> dict[str, str]:
        """Machines whose nodes are not what they should be: name -> `NodeNotReady.how`."""
        found: dict[str, str] = {}
        for _, fault in self._faults:
            if isinstance(fault, NodeNotReady):
                found |= dict.fromkeys(_chosen(view.machines, fault.group, fault.count), fault.how)
        return found

    def blocked(self) -> tuple[str, str] | None:
        """Id of the fault that blocks the deletion, and by what (`DeleteBlocked.by`)."""
        return next(((name, fault.by) for name, fault in self._faults if isinstance(fault, DeleteBlocked)), None)

    def left(self) -> dict[str, str]:
        """Kinds of objects that the deletion leaves: `LeaveBehind.what` -> id of the fault."""
        return {fault.what: name for name, fault in self._faults if isinstance(fault, LeaveBehind)}


def _chosen(machines: Iterable[Object], group: str, count: int) -> list[str]:
    """Names of the oldest machines of the groups that a pattern means, `count` of each (0: all)."""
    by_group: dict[str, list[Object]] = {}
    for item in machines:
        by_group.setdefault(capi.group_of(item), []).append(item)
    names: list[str] = []
    for found, members in by_group.items():
        if fnmatch.fnmatchcase(found, group):
            members.sort(key=lambda item: (item["metadata"]["creationTimestamp"], item["metadata"]["name"]))
            names += [item["metadata"]["name"] for item in members[: count or None]]
    return names
