"""How Terraform's state is kept, and what is wrong with that.

The state holds an administrator's kubeconfig in clear text (terraform-provider-openstack, documentation of
openstack_containerinfra_cluster_v1). So a database is spoken to with TLS alone, and its address comes from the
environment alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import psycopg
from psycopg import conninfo

from magflow.findings import Finding, error, warning
from magflow.settings import Settings

CONNECTION = "PG_CONN_STR"
ENCRYPTION = "TF_ENCRYPTION"
"""OpenTofu's own variable; Terraform does not know it."""

WITH_TLS = ("require", "verify-ca", "verify-full")
"""libpq's modes in which nothing goes over the wire in clear text."""

UNTOLD = frozenset({"STATE_DATABASE_UNNAMED", "STATE_DATABASE_UNREADABLE"})
"""Findings of a database that is not known at all."""


@dataclass(frozen=True)
class Kept:
    """How the state is kept.

    Attributes:
        database: whether in PostgreSQL.
        encrypted: whether OpenTofu is told how to encrypt it.
        connection: libpq's parameters of the database, the password among them; never shown.
        findings: what is wrong with it.
    """

    database: bool
    encrypted: bool
    connection: Mapping[str, str] = field(default_factory=dict, repr=False)
    findings: tuple[Finding, ...] = ()


def look(settings: Settings, environ: Mapping[str, str]) -> Kept:
    """How the state is kept.

    Args:
        settings: `terraform.backend` says where.
        environ: holds PG_CONN_STR, libpq's PG* variables and TF_ENCRYPTION.
    """
    encrypted = bool(environ.get(ENCRYPTION))
    if settings.terraform.backend == "pg":
        connection, found = _connection(environ)
        return Kept(True, encrypted, connection, tuple(found))
    plain = warning(
        "STATE_PLAINTEXT",
        "terraform.backend",
        "the state is a file of the run's folder and holds an administrator's key in clear text",
        f"keep the folder private (it is made with mode 0700), or set {ENCRYPTION} and use OpenTofu (docs/state.md)",
    )
    return Kept(False, encrypted, findings=() if encrypted else (plain,))


def _connection(environ: Mapping[str, str]) -> tuple[dict[str, str], list[Finding]]:
    given = environ.get(CONNECTION)
    if not given:
        unnamed = error(
            "STATE_DATABASE_UNNAMED",
            CONNECTION,
            "the state is to lie in PostgreSQL, but the environment does not say in which",
            f"export {CONNECTION}='postgres://USER@HOST/DATABASE?sslmode=verify-full', "
            "with the password in PGPASSWORD or ~/.pgpass",
        )
        return {}, [unnamed]
    try:
        parameters = {key: str(value) for key, value in conninfo.conninfo_to_dict(given).items()}
    except psycopg.ProgrammingError:
        # its text would repeat the string, and with it the password
        unreadable = error(
            "STATE_DATABASE_UNREADABLE",
            CONNECTION,
            "this is no connection string",
            "write it like postgres://USER@HOST/DATABASE?sslmode=verify-full, special characters as %XX",
        )
        return {}, [unreadable]
    mode, where = parameters.get("sslmode"), f"{CONNECTION}, sslmode"
    if mode is None and "PGSSLMODE" in environ:
        mode, where = environ["PGSSLMODE"], "PGSSLMODE"
    if mode is None or mode in WITH_TLS:
        return parameters, []
    without = error(
        "STATE_WITHOUT_TLS",
        where,
        f"sslmode is {mode}: the state holds an administrator's key, and would cross the network in clear text",
        "sslmode=verify-full (with sslrootcert where the CA is your own), or require; "
        "a PostgreSQL without TLS needs ssl=on and a certificate first",
    )
    return parameters, [without]
