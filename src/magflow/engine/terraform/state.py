"""The state of one stack: the backend block, and what Terraform's environment has for it.

The database's address is in neither: it comes from the environment and goes to Terraform in the environment. It is
written to no file and shown nowhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import psycopg
from psycopg import conninfo

from magflow import findings
from magflow.engine.run_folder import RunFolder, who
from magflow.engine.terraform.root import LOCAL
from magflow.errors import CannotTell, MagflowError
from magflow.rules.state import CONNECTION, ENCRYPTION, UNTOLD, look
from magflow.settings import Settings


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
        kept = look(settings, environ)
        for wrong in findings.errors(kept.findings):
            kind = CannotTell if wrong.code in UNTOLD else MagflowError
            raise kind(wrong.message, where=wrong.path, hint=wrong.hint, code=wrong.code)
        if not kept.database:
            return cls(encrypted=kept.encrypted)
        name = settings.terraform.schema_name or run.env
        # PostgreSQL keeps names that begin with pg_ for itself
        return cls(name if stack == "cluster" else f"{name}-{stack}", kept.encrypted, kept.connection)

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
