"""Where Terraform's state lies: a file of the run, or PostgreSQL; and whether OpenTofu encrypts it.

The state holds an administrator's kubeconfig in clear text (terraform-provider-openstack, documentation of
openstack_containerinfra_cluster_v1). So a database is spoken to with TLS alone, and its address comes from the
environment alone: it is written to no file and shown nowhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import psycopg
from psycopg import conninfo

from magflow.engine.run_folder import RunFolder, who
from magflow.engine.terraform_root import LOCAL
from magflow.errors import CannotTell, MagflowError
from magflow.settings import Settings

CONNECTION = "PG_CONN_STR"
ENCRYPTION = "TF_ENCRYPTION"
"""OpenTofu's own variable; Terraform does not know it."""

WITH_TLS = ("require", "verify-ca", "verify-full")
"""libpq's modes in which nothing goes over the wire in clear text."""


@dataclass(frozen=True)
class State:
    """The state of one stack of one environment.

    Attributes:
        schema: of PostgreSQL; None: the state is a file in the run's folder.
        encrypted: OpenTofu is told how to encrypt it.
        connection: libpq's parameters of the database, the password among them; never shown.
    """

    schema: str | None = None
    encrypted: bool = False
    connection: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, settings: Settings, stack: str, run: RunFolder, environ: Mapping[str, str] = os.environ) -> State:
        """The state that the settings and the environment name.

        Args:
            settings: `terraform.backend` and `terraform.schema`.
            stack: each stack has a schema of its own.
            run: the environment's name is the schema's when the settings give none.
            environ: holds PG_CONN_STR, libpq's PG* variables and TF_ENCRYPTION.

        Raises:
            CannotTell: PG_CONN_STR is not set, or is no connection string.
            MagflowError: it goes without TLS.
        """
        encrypted = bool(environ.get(ENCRYPTION))
        if settings.terraform.backend == "local":
            return cls(encrypted=encrypted)
        name = settings.terraform.schema_name or run.env
        schema = name if stack == "cluster" else f"{name}_{stack}"
        return cls(schema, encrypted, _connection(environ))

    @property
    def backend(self) -> str:
        """The backend block of the root module; the database itself is not in it."""
        if self.schema is None:
            return LOCAL
        return f'backend "pg" {{\n    schema_name = {json.dumps(self.schema)}\n  }}'

    def environment(self, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """What Terraform's environment has for it.

        The password goes apart from the rest, because an error over a malformed address would repeat it.
        """
        added = {ENCRYPTION: environ[ENCRYPTION]} if self.encrypted else {}
        if self.schema is not None:
            parameters = {key: value for key, value in self.connection.items() if key != "password"}
            parameters.setdefault("application_name", who())
            added[CONNECTION] = conninfo.make_conninfo("", **parameters)
            if "password" in self.connection:
                added["PGPASSWORD"] = self.connection["password"]
        return added

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        """A connection to the database.

        Raises:
            psycopg.OperationalError: it does not answer or refuses us.
        """
        parameters: dict[str, object] = {"sslmode": "require", **self.connection}
        return psycopg.connect("", connect_timeout=5, autocommit=True, **parameters)  # type: ignore[arg-type]


def _connection(environ: Mapping[str, str]) -> dict[str, str]:
    given = environ.get(CONNECTION)
    if not given:
        raise CannotTell(
            "the state is to lie in PostgreSQL, but the environment does not say in which",
            where=CONNECTION,
            hint=f"export {CONNECTION}='postgres://USER@HOST/DATABASE?sslmode=verify-full', "
            "with the password in PGPASSWORD or ~/.pgpass",
        )
    try:
        parameters = {key: str(value) for key, value in conninfo.conninfo_to_dict(given).items()}
    except psycopg.ProgrammingError:
        # its text would repeat the string, and with it the password
        raise CannotTell(
            "this is no connection string",
            where=CONNECTION,
            hint="write it like postgres://USER@HOST/DATABASE?sslmode=verify-full, special characters as %XX",
        ) from None
    mode, where = parameters.get("sslmode"), f"{CONNECTION}, sslmode"
    if mode is None and "PGSSLMODE" in environ:
        mode, where = environ["PGSSLMODE"], "PGSSLMODE"
    if mode is not None and mode not in WITH_TLS:
        raise MagflowError(
            f"sslmode is {mode}: the state holds an administrator's key, and would cross the network in clear text",
            where=where,
            hint="sslmode=verify-full (with sslrootcert where the CA is your own), or require; "
            "a PostgreSQL without TLS needs ssl=on and a certificate first",
            code="STATE_WITHOUT_TLS",
        )
    return parameters
