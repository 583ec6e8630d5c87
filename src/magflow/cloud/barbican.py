"""Barbican's containers of certificates, each with its certificate: by it a cluster's own are told from others'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import openstack.exceptions
from openstack.connection import Connection


@dataclass(frozen=True)
class Container:
    """A container of the type certificate; the id is its URL, as the client wants it."""

    id: str
    name: str
    certificate: str


def containers(connection: Connection) -> Iterator[Container]:
    """Every such container of the project; the private keys in them are never read."""
    for item in connection.key_manager.containers():
        if item.type != "certificate":
            continue
        refs = [ref["secret_ref"] for ref in item.secret_refs or [] if ref.get("name") == "certificate"]
        yield Container(str(item.container_ref), str(item.name or ""), _payload(connection, refs[0]) if refs else "")


def _payload(connection: Connection, ref: str) -> str:
    try:
        answer = connection.key_manager.get(f"{ref}/payload", headers={"Accept": "*/*"})
    except (openstack.exceptions.ForbiddenException, openstack.exceptions.NotFoundException):
        return ""
    return str(answer.text) if answer.status_code < 400 else ""
