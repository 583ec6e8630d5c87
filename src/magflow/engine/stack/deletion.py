"""Terraform's destroy, and what to make of its failures: Magnum's word counts, not the provider's last look at it.

The provider reads the status of before its own request and gives up, while Magnum goes on (terraform-provider-openstack
issues 1928, 1939 and 2066; fixed for clusters in 3.4.0, not for node groups). So Magnum is asked until the clusters are
gone; one that is stuck is diagnosed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import Protocol

import tenacity

from magflow.checks.diagnosis import Diagnosis
from magflow.cloud.magnum import Held
from magflow.errors import MagflowError
from magflow.findings import Finding

RACE = re.compile(r"unexpected state '\w+', wanted target '\w+'")
"""TRANSIENT_STATUS_RACE, in the provider's words (Terraform's SDK, StateChangeConf)."""
IN_USE = re.compile(r"is referenced by one or multiple clusters|already has an operation in progress", re.IGNORECASE)
"""What follows from it: the template is in use by the cluster that is still going (Magnum's own words)."""
WITHIN = 30.0
"""Minutes that Magnum gets to delete a cluster; the provider's own limit."""
STARTS_WITHIN = 2.0
"""Minutes after which a deletion must show in Magnum's status: the request is a cast."""
LOOK_EVERY = 60.0
"""Seconds between two looks at a deletion while Terraform waits for it."""
AGAIN = 3
"""How often Terraform is asked again: once for the clusters, once for what they held."""


class Stack(Protocol):
    """What may be asked of a stack."""

    def destroy(self, tell: Callable[[str], None]) -> None:
        """Destroys all that the state holds."""


class Waiter:
    """Waits until Magnum has deleted clusters.

    Args:
        look: the environment's clusters that Magnum still has.
        why: diagnoses one of them.
        tell: is told what is waited for.
        warn: is told, once, what holds a deletion up while it is still waited for.
        scale: multiplies the limits (cloud.time_scale).
        clock: time, for tests.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        look: Callable[[], list[Held]],
        why: Callable[[Held], Diagnosis],
        tell: Callable[[str], None],
        *,
        warn: Callable[[Finding], None] = lambda _finding: None,
        scale: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._look, self._why, self._tell = look, why, tell
        self._warn, self._told = warn, set[str]()
        self._scale, self._clock, self._sleep = scale, clock, sleep
        self._looked = clock()

    def watch(self, words: str) -> None:
        """Passes on what Terraform says; now and then looks whether something holds the deletion up.

        What holds it up is told while there is still time to take it away: the deletion then goes on by itself.
        """
        self._tell(words)
        if self._clock() - self._looked < LOOK_EVERY:
            return
        self._looked = self._clock()
        try:
            for cluster in self._look():
                found = self._why(cluster) if cluster.status.startswith("DELETE_") else None
                if found and found.exit_code == 1 and found.id not in self._told:
                    self._told.add(found.id)
                    for finding in found.findings:
                        self._warn(finding)
        except MagflowError as error:
            self._tell(f"Magnum was not asked: {error.what}")

    def gone(self, spent: float = 0.0) -> None:
        """Returns when no cluster is left.

        Args:
            spent: minutes that were waited already.

        Raises:
            Stuck: one failed, its deletion never began, or it took too long; with its diagnosis.
        """
        begun = self._clock()
        while left := self._look():
            minutes = spent + (self._clock() - begun) / 60 / self._scale
            for cluster in left:
                if _hopeless(cluster, minutes):
                    raise Stuck([self._why(held) for held in left])
            self._tell(", ".join(f"cluster '{held.name}' is {held.status}" for held in left))
            self._sleep(3.0)


class Stuck(MagflowError):
    """Clusters that are not deleted, and why.

    Args:
        diagnoses: one a cluster.
    """

    def __init__(self, diagnoses: Iterable[Diagnosis]) -> None:
        self.diagnoses = tuple(diagnoses)
        words = [f"cluster '{item.cluster}': {item.verdict}, {item.meaning}" for item in self.diagnoses]
        causes = [cause for item in self.diagnoses for cause in item.causes[:1]]
        words += [f"{cause.code}: {'; '.join(cause.evidence)}" for cause in causes]
        steps = "; ".join(step for cause in causes for step in cause.do)
        super().__init__(". ".join(words), hint=f"{steps or 'magflow diagnose ENV cluster'}; then destroy again")


def _hopeless(cluster: Held, minutes: float) -> bool:
    if cluster.status.startswith("DELETE_"):
        return cluster.status == "DELETE_FAILED" or minutes > WITHIN
    return minutes > STARTS_WITHIN


def destroy(stack: Stack, waiter: Waiter, tell: Callable[[str], None]) -> None:
    """Destroys a stack; a race of the provider is waited out at Magnum.

    Args:
        stack: the stack.
        waiter: knows the clusters.
        tell: is told what happens.

    Raises:
        Stuck: a cluster does not go.
        MagflowError: any other failure, in Terraform's words.
    """
    for attempt in tenacity.Retrying(
        stop=tenacity.stop_after_attempt(AGAIN), retry=tenacity.retry_if_exception_type(_Again), reraise=True
    ):
        with attempt:
            try:
                stack.destroy(waiter.watch)
            except MagflowError as error:
                late = "timeout while waiting" in error.what
                if not (late or RACE.search(error.what) or IN_USE.search(error.what)):
                    raise
                tell("the provider gave up; Magnum is asked")
                waiter.gone(WITHIN if late else 0.0)
                raise _Again(error.what, error.where, error.hint) from None


class _Again(MagflowError):
    """Magnum has done what the provider did not see; Terraform is to look again."""
