"""Terraform's errors over its state in words: who holds the lock and since when; that it lies elsewhere than before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from magflow.engine.plan import PlanSummary
from magflow.engine.terraform import Event, Terraform
from magflow.engine.terraform.state import State
from magflow.errors import CannotTell, MagflowError

LOCKED = "Error acquiring the state lock"
MOVED = "Backend configuration changed"

_HOLDERS = """
SELECT activity.application_name, activity.usename, host(activity.client_addr), activity.backend_start
FROM pg_locks AS locks JOIN pg_stat_activity AS activity USING (pid)
WHERE locks.locktype = 'advisory' AND locks.granted AND locks.objsubid = 1
  AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND ((locks.classid::bigint << 32) | locks.objid::bigint) IN (SELECT id FROM {states})
ORDER BY activity.backend_start LIMIT 1
"""
"""The backend `pg` locks a state by an advisory lock on its row's id (internal/backend/remote-state/pg/client.go)."""


class LockedState(Terraform):
    """Terraform whose errors over the state say who holds it, or where it was before.

    Args:
        args: as of `Terraform`.
        state: where the state lies.
        options: as of `Terraform`.
    """

    def __init__(self, *args: Any, state: State, **options: Any) -> None:
        super().__init__(*args, **options)
        self._state = state

    def init(self, on_event: Callable[[Event], None] = lambda _: None) -> None:
        """As of `Terraform`.

        Raises:
            MagflowError: the state lies elsewhere than in the last run.
        """
        with self._told():
            super().init(on_event)

    def plan(self, out: Path | None = None, on_event: Callable[[Event], None] = lambda _: None) -> PlanSummary:
        """As of `Terraform`.

        Raises:
            CannotTell: somebody else is at work on the state.
        """
        with self._told():
            return super().plan(out, on_event)

    def apply(self, *args: Any, **options: Any) -> None:
        """As of `Terraform`.

        Raises:
            CannotTell: somebody else is at work on the state.
        """
        with self._told():
            super().apply(*args, **options)

    def destroy(self, *args: Any, **options: Any) -> None:
        """As of `Terraform`.

        Raises:
            CannotTell: somebody else is at work on the state.
        """
        with self._told():
            super().destroy(*args, **options)

    def _simple(self, *args: Any, **options: Any) -> None:
        with self._told():
            super()._simple(*args, **options)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except MagflowError as error:
            if LOCKED in error.what:
                raise explain(self._state, self.folder) from None
            if MOVED in error.what:
                raise MagflowError(
                    "the settings or the environment name another place for the state than the last run's",
                    where=str(self.folder),
                    hint=f"take it along: terraform -chdir={self.folder} init -migrate-state (docs/state.md)",
                    code="STATE_MOVED",
                ) from None
            raise


def explain(state: State, folder: Path) -> CannotTell:
    """The error of a command that did not get the lock.

    Args:
        state: where the state lies.
        folder: the run's folder for Terraform.
    """
    held = _held_file(folder) if state.schema is None else _held_row(state)
    place = str(folder / "terraform.tfstate") if state.schema is None else f"PostgreSQL, schema '{state.schema}'"
    return CannotTell(
        f"the state is locked by {held or 'somebody who has just let go of it'}",
        where=place,
        hint="wait until it ends and run the same command again; the lock goes with that process"
        + ("" if state.schema is None else " or its connection to the database"),
        code="STATE_LOCKED",
    )


def _held_file(folder: Path) -> str | None:
    try:
        data = json.loads((folder / ".terraform.tfstate.lock.info").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return f"{data.get('Who', 'somebody')} since {str(data.get('Created', '?'))[:19]} ({data.get('Operation', '?')})"


def _held_row(state: State) -> str | None:
    states = sql.Identifier(str(state.schema), "states")
    try:
        with state.connect() as connection:
            row = connection.execute(sql.SQL(_HOLDERS).format(states=states)).fetchone()
    except psycopg.Error as error:
        return f"somebody (PostgreSQL does not tell who: {type(error).__name__})"
    if row is None:
        return None
    name, user, address, since = row
    began = since.isoformat(timespec="seconds") if isinstance(since, datetime) else "?"
    return (
        f"{name or 'a program without a name'} (database user {user}, from {address or 'this machine'}) since {began}"
    )
