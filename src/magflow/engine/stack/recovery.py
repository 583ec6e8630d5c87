"""After a crash: what Magnum has and Terraform's state has not, or holds for broken.

A creation that was interrupted leaves its resource tainted, and Terraform would replace it, although Magnum went on.
A Terraform that was killed leaves no trace of a cluster at all, and would make a second one: Magnum takes a name twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import tenacity
from openstack.connection import Connection

from magflow.cloud import magnum
from magflow.cloud.magnum import Held
from magflow.engine.plan import PlanSummary, ResourceChange
from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP, TAINTED
from magflow.errors import MagflowError

AT_WORK = "_IN_PROGRESS"


class State(Protocol):
    """What may be done to Terraform's state."""

    def adopt(self, address: str, identifier: str) -> None:
        """Takes over something that exists."""

    def untaint(self, address: str) -> None:
        """Keeps a resource whose creation was interrupted."""


class Recovery:
    """Brings the state to what Magnum has.

    Args:
        state: Terraform's state.
        connection: an authenticated connection.
        cluster: the cluster's name.
        patience: minutes that Magnum may still be at work.
        interrupted: an earlier run of this environment ended in the middle of the stage.
        tell: is told what is waited for.
    """

    def __init__(
        self, state: State, connection: Connection, cluster: str, *, patience: float, interrupted: bool, tell: Any
    ) -> None:
        self._state = state
        self._connection = connection
        self._cluster = cluster
        self._patience = patience
        self._interrupted = interrupted
        self._tell = tell

    def settle(self, plan: PlanSummary) -> bool:
        """Mends the state where the plan shows the marks of a crash.

        Returns:
            whether the state was changed, so that the plan has to be made again.

        Raises:
            MagflowError: a cluster of that name is there and this environment did not make it.
        """
        mended = False
        for change in plan.changes:
            if change.kind not in {CLUSTER, NODE_GROUP}:
                continue
            if change.action == "replace" and change.reason == TAINTED:
                mended |= self._keep(change)
            elif change.action == "create":
                mended |= self._take(change)
        return mended

    def _keep(self, change: ResourceChange) -> bool:
        found = self._find(change)
        # one that failed holds nothing and may be made anew
        if not found or not _complete(self._settled(change, found)):
            return False
        self._state.untaint(change.address)
        return True

    def _take(self, change: ResourceChange) -> bool:
        found = self._find(change)
        if not found:
            return False
        if not self._interrupted:
            raise MagflowError(
                f"Magnum has a {_word(change)} '{change.name}' already, and this environment did not make it",
                where=f"Magnum, {found.id}",
                hint="choose another name, or import it into this environment's state",
            )
        found = self._settled(change, found)
        if not _complete(found):
            raise MagflowError(
                f"{_word(change)} '{change.name}' of the interrupted run is {found.status}: {found.reason}",
                where=f"Magnum, {found.id}",
                hint="magflow destroy, or delete it with `openstack coe`; then deploy again",
            )
        self._state.adopt(change.address, found.id if change.kind == CLUSTER else f"{found.cluster_id}/{found.id}")
        return True

    def _settled(self, change: ResourceChange, found: Held) -> Held:
        """The thing once Magnum is no longer at work on it."""

        def look() -> Held:
            now = self._find(change) or replace(found, status="DELETE_COMPLETE")
            self._tell(f"{_word(change)} '{change.name}' is {now.status}")
            return now

        wait = tenacity.Retrying(
            stop=tenacity.stop_after_delay(self._patience * 60),
            wait=tenacity.wait_fixed(2),
            retry=tenacity.retry_if_result(lambda now: now.status.endswith(AT_WORK)),
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else found,
        )
        settled: Held = wait(look) if found.status.endswith(AT_WORK) else found
        return settled

    def _find(self, change: ResourceChange) -> Held | None:
        """The thing in Magnum that the change is about, by name."""
        clusters = [cluster for cluster in magnum.clusters(self._connection) if cluster.name == self._cluster]
        if change.kind == CLUSTER:
            return self._only(change, clusters)
        groups = [group for cluster in clusters for group in magnum.node_groups(self._connection, cluster)]
        return self._only(change, [group for group in groups if group.name == change.name])

    def _only(self, change: ResourceChange, found: list[Held]) -> Held | None:
        if len(found) > 1:
            raise MagflowError(
                f"Magnum has {len(found)} of {_word(change)} '{change.name}'",
                where=", ".join(item.id for item in found),
                hint="delete those that are not yours to keep, or choose another name",
            )
        return found[0] if found else None


def _complete(found: Held) -> bool:
    return found.status.endswith("_COMPLETE") and found.status != "DELETE_COMPLETE"


def _word(change: ResourceChange) -> str:
    return "cluster" if change.kind == CLUSTER else "node group"
