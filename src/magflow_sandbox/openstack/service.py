"""What a service is: data that the runner turns into files, a migration and a process."""

from __future__ import annotations

import configparser
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from magflow_sandbox.openstack.site import PORTS, Site

Value = str | int | bool | Path
Ini = Mapping[str, Mapping[str, Value]]


@dataclass(frozen=True)
class Service:
    """One OpenStack service.

    Attributes:
        name: also its user in keystone, its folder below etc/ and data/ and its door in `PORTS`.
        type: its type in the catalog.
        databases: names of its databases.
        files: configuration files below etc/<name>/, as sections of options.
        application: `module:attribute` of the WSGI application, for serve.py; empty when `program` is given.
        path: what the catalog's address has after the port.
        arguments: what the application finds in `sys.argv[1:]`.
        variables: environment variables that tell it where its configuration is.
        folders: folders below data/<name>/ that it expects.
        migrations: commands of the environment's bin/ that make its tables; run in this order.
        program: file of run/ that runs it instead of serve.py.
    """

    name: str
    type: str
    databases: tuple[str, ...]
    files: Mapping[str, Ini] = field(repr=False)
    application: str = ""
    path: str = ""
    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    migrations: tuple[tuple[str, ...], ...] = ()
    program: str = "serve.py"

    @property
    def port(self) -> int:
        """Of its door, and of itself inside the namespace."""
        return PORTS[self.name]


def render(ini: Ini) -> str:
    """Sections of options as oslo.config reads them; booleans in lower case."""
    parser = configparser.RawConfigParser(default_section="no such section")
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # oslo options may have capitals
    for section, options in ini.items():
        parser[section] = {key: _text(value) for key, value in options.items()}
    out = io.StringIO()
    parser.write(out)
    return out.getvalue()


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def login(site: Site, service: str) -> dict[str, Value]:
    """Options by which a service logs in to keystone as itself, with our authority's certificate."""
    return {
        "auth_url": site.url("keystone", "/v3"),
        "auth_type": "password",
        "username": service,
        "password": site.passwords[service],
        "project_name": "service",
        "user_domain_name": "Default",
        "project_domain_name": "Default",
        "cafile": site.ca,
    }


def token_check(site: Site, service: str) -> dict[str, Value]:
    """`[keystone_authtoken]`: how a service checks the tokens that it is given."""
    return {
        **login(site, service),
        "www_authenticate_uri": site.url("keystone", "/v3"),
        "service_token_roles_required": False,
    }


def database(site: Site, name: str) -> dict[str, Value]:
    """`[database]` with a small pool: a service has no more than a handful of threads."""
    return {"connection": site.database(name), "max_pool_size": 8, "max_overflow": 4}


QUIET: Ini = {"oslo_messaging_notifications": {"driver": "noop"}}
"""No notifications: nobody listens."""
