"""Waits out the provider's status race: Magnum's word counts, not the provider's first look at it.

Magnum answers a request before its conductor has begun. The provider then reads the status of before, takes it for the
end of a failure and gives up, while Magnum goes on (terraform-provider-openstack issues 1928, 1939 and 2066; 3.4.0
mended it for clusters, not for node groups).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from openstack.connection import Connection

from magflow.checks.world import World
from magflow.cloud import magnum
from magflow.cloud.connection import readable
from magflow.engine.journal import Journal
from magflow.engine.plan.holdings import CLUSTER
from magflow.engine.terraform.provider_errors import TRANSIENT_STATUS_RACE, Race, StatusRace
from magflow.engine.verify import Clock
from magflow.errors import MagflowError

GONE = "DELETE_COMPLETE"
AT_WORK = "_IN_PROGRESS"
FAILED = "_FAILED"
BEYOND = 5
"""Minutes that the provider waits beyond create_timeout (terraform/modules/cluster)."""
MOST = 3
"""Races of one resource; with the fourth it is none."""


@dataclass(frozen=True)
class _Look:
    status: str
    reason: str = ""


class Waiter:
    """Asks Magnum until what the provider gave up on has ended.

    Args:
        connection: an authenticated connection.
        patience: seconds that Magnum may take: the delete timeout, times `cloud.time_scale`.
        journal: the environment's journal.
        tell: is told what is waited for.
        clock: time, for tests.
        pause: seconds between two looks.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        patience: float,
        journal: Journal,
        tell: Callable[[str], None],
        clock: Clock | None = None,
        pause: float = 2.0,
    ) -> None:
        self._connection = connection
        self._patience = patience
        self._journal = journal
        self._tell = tell
        self._clock = clock or Clock()
        self._pause = pause
        self._races: Counter[str] = Counter()

    def settle(self, error: StatusRace) -> None:
        """Returns when Magnum has ended all that the error is about.

        Raises:
            MagflowError: Magnum failed at it, or never began it (DELETE_NOT_STARTED and so on), or took too long.
            StatusRace: the same resource raced too often, so that it is none.
        """
        for race in error.races:
            self._races[race.id] += 1
            if self._races[race.id] > MOST:
                raise error
            self._wait(race)

    def _wait(self, race: Race) -> None:
        begun = self._clock.now()
        while True:
            look = self._look(race)
            waited = self._clock.now() - begun
            if _settled(race, look):
                break
            if look.status.endswith(FAILED):
                raise MagflowError(
                    f"Magnum: {_named(race)} is {look.status}: {look.reason or 'no reason given'}",
                    where=race.address or race.id,
                    hint="magflow diagnose ENV cluster ranks the causes",
                    code=look.status,
                )
            if waited >= self._patience:
                raise self._too_long(race, look, waited)
            self._tell(f"the provider looked too early; Magnum says that {_named(race)} is {look.status}")
            self._clock.sleep(self._pause)
        self.note(race, status=look.status, seconds=round(waited, 1))

    def note(self, race: Race, **more: Any) -> None:
        """Journals a race."""
        names = {"address": race.address, "id": race.id, "seen": race.seen, "wanted": race.wanted}
        self._journal.write("status_race", code=TRANSIENT_STATUS_RACE, **names, **more)

    def _too_long(self, race: Race, look: _Look, waited: float) -> MagflowError:
        verb = race.wanted.split("_")[0] or "WORK"
        if look.status.endswith(AT_WORK):
            code, what = f"{verb}_TOO_LONG", f"{_named(race)} is still {look.status}"
        else:
            code, what = f"{verb}_NOT_STARTED", f"{_named(race)} is {look.status}, as before Magnum was asked"
        return MagflowError(
            f"{what}, after {waited / 60:.0f} minutes of {self._patience / 60:.0f}",
            where=race.address or race.id,
            hint="is magnum-conductor at work? magflow diagnose ENV cluster says more",
            code=code,
        )

    def _look(self, race: Race) -> _Look:
        path = self._path(race)
        if path is None:
            return _Look(GONE)
        with readable("Magnum"):
            answer = self._connection.container_infrastructure_management.get(path, headers=magnum.MICROVERSION)
        if answer.status_code == 404:
            return _Look(GONE)
        if answer.status_code >= 500 or (answer.status_code == 400 and magnum.HALF_DELETED in answer.text):
            return _Look(f"not told ({answer.status_code})")
        if answer.status_code >= 400:
            raise MagflowError(f"Magnum answered {answer.status_code}: {answer.text[:300]}", where=path)
        data = answer.json()
        return _Look(data.get("status") or "UNKNOWN", data.get("status_reason") or "")

    def _path(self, race: Race) -> str | None:
        if race.kind == CLUSTER:
            return f"/clusters/{race.id}"
        cluster, _, group = race.id.rpartition("/")
        if cluster:
            return f"/clusters/{cluster}/nodegroups/{group}"
        # the provider names a group alone while it makes it
        for held in magnum.clusters(self._connection):
            if any(one.id == group for one in magnum.node_groups(self._connection, held)):
                return f"/clusters/{held.id}/nodegroups/{group}"
        return None


class Stack(Protocol):
    """What may be asked of a stack."""

    def destroy(self, tell: Callable[[str], None]) -> None:
        """Destroys all that the state holds."""


class Riding:
    """A stack whose destroy waits out the races of its node groups; those of clusters are its caller's (`deletion`)."""

    def __init__(self, stack: Stack, waiter: Waiter) -> None:
        self._stack = stack
        self._waiter = waiter

    def destroy(self, tell: Callable[[str], None]) -> None:
        """Destroys all that the state holds.

        Raises:
            MagflowError: as of the stack; or a node group was not deleted.
        """

        def act() -> None:
            try:
                self._stack.destroy(tell)
            except StatusRace as error:
                if any(race.kind == CLUSTER and race.wanted for race in error.races):
                    for race in error.races:
                        self._waiter.note(race)
                    raise MagflowError(error.what, error.where, error.hint, error.code) from None
                raise

        ride_out(act, self._waiter)


def waiter_of(world: World, journal: Journal, tell: Callable[[str], None]) -> Waiter:
    """A waiter that is as patient as the provider is with the slowest cluster of the settings."""
    settings = world.settings
    minutes = max(settings.of_cluster(name).cluster.create_timeout for name in settings.cluster_names)
    patience = (minutes + BEYOND) * 60 * settings.cloud.time_scale
    return Waiter(world.cloud, patience=patience, journal=journal, tell=tell)


def ride_out(act: Callable[[], None], waiter: Waiter, again: Callable[[], bool] = lambda: True) -> None:
    """Runs a command of Terraform; after a race waits until Magnum has settled, and runs it again.

    Args:
        act: the command.
        waiter: asks Magnum.
        again: is asked after each race, and may make a new plan: whether there is something left to do.

    Raises:
        MagflowError: any other failure of the command, or of Magnum.
    """
    while True:
        try:
            return act()
        except StatusRace as race:
            waiter.settle(race)
            if not again():
                return None


def _settled(race: Race, look: _Look) -> bool:
    if look.status == GONE:
        return True
    if race.wanted in {"", "CREATE_COMPLETE"}:
        # a group that is made may have been changed since
        return look.status.endswith("_COMPLETE")
    return look.status == race.wanted


def _named(race: Race) -> str:
    return f"{'cluster' if race.kind == CLUSTER else 'node group'} {race.id}"
