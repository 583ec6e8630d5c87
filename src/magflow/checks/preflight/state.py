"""Preflight of Terraform's state."""

from __future__ import annotations

import os

from magflow.checks.model import check, raise_for
from magflow.checks.world import World
from magflow.rules import state


@check("state-is-protected", "Terraform's state, which holds an administrator's key, is kept out of others' sight")
def state_is_protected(world: World) -> str:
    """Looks at the settings and at the environment; the database itself is not asked."""
    kept = state.look(world.settings, os.environ)
    raise_for(kept.findings)
    place = "PostgreSQL, over TLS" if kept.database else "a file of the run's folder"
    return f"{place}{', encrypted by OpenTofu' if kept.encrypted else ''}"
