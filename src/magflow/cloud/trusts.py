"""Keystone's trusts of the user, with the names of their trustees: Magnum names those after cluster and project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import openstack.exceptions


@dataclass(frozen=True)
class Trust:
    """A trust; `trustee_name` is empty where Keystone lets the user not read it."""

    id: str
    trustee_id: str
    trustee_name: str
    name: str = ""


def listed(connection: Any) -> Iterator[Trust]:
    """Every trust that the user of a connection gave."""
    for trust in connection.identity.trusts(trustor_user_id=connection.current_user_id):
        try:
            trustee = str(connection.identity.get_user(trust.trustee_user_id).name)
        except (openstack.exceptions.ForbiddenException, openstack.exceptions.NotFoundException):
            trustee = ""
        yield Trust(str(trust.id), str(trust.trustee_user_id), trustee, f"to {trustee or trust.trustee_user_id}")
