"""The services' tables: made once by their own migrations, kept in the cache, unpacked into each new sandbox."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from magflow_sandbox.home import Home, write_private
from magflow_sandbox.openstack import files, job, mariadb
from magflow_sandbox.openstack.service import Service
from magflow_sandbox.openstack.site import Site
from magflow_sandbox.supervisor import Program, Supervisor

REQUIREMENTS = Path(__file__).parent / "requirements.txt"
WORKERS = 2


def digest(services: Sequence[Service], server: Path) -> str:
    """Changes with what decides about the tables: versions, migrations, options of the server, and who owns them."""
    migrations = [[Path(word).name for word in command] for service in services for command in service.migrations]
    size = server.resolve().stat().st_size
    content = [REQUIREMENTS.read_text(), migrations, mariadb.OPTIONS, size, mariadb.owner()]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def ensure(
    home: Home,
    supervisor: Supervisor,
    services: Sequence[Service],
    site: Site,
    server: Path,
    cache: Path,
    progress: Callable[[str], None],
) -> None:
    """Put a data folder with all tables in place; returns at once when it is there.

    Args:
        cache: folder of the packed databases.
        progress: is told about the slow part.

    Raises:
        SandboxError: MariaDB or a migration fails.
    """
    data, marker = site.data / "mariadb", site.data / "mariadb.digest"
    wanted = digest(services, server)
    if data.exists() and marker.exists() and marker.read_text() == wanted:
        return
    packed = cache / f"{wanted}.tar.gz"
    if data.exists():
        progress("migrating the databases to other versions of the services")
        _migrate(home, supervisor, services, site, server, data)
    else:
        fresh = site.data / "mariadb.new"
        # one that an interrupted `up` left serves this very folder
        supervisor.stop("migrate/mariadb")
        supervisor.stop(mariadb.NAME)
        shutil.rmtree(fresh, ignore_errors=True)
        if packed.exists():
            _unpack(packed, fresh)
        else:
            progress("making the databases (once, about a minute)")
            install = mariadb.installer(server, fresh)
            environment, log = mariadb.environment(server), home.log / "migrate" / "mariadb.log"
            job.run(supervisor, "migrate/mariadb", install, environment, log, "the database folder cannot be made")
            _migrate(home, supervisor, services, site, server, fresh)
            supervisor.stop(mariadb.NAME, timeout=30)
            _pack(fresh, packed)
        fresh.rename(data)
    write_private(marker, wanted)


def program(site: Site, server: Path, data: Path) -> Program:
    """The server as a supervised program."""
    return Program(mariadb.NAME, mariadb.command(server, data, site.socket), mariadb.environment(server))


def start(supervisor: Supervisor, site: Site, server: Path, data: Path) -> None:
    """Start the server and wait until it takes statements."""
    supervisor.start(program(site, server, data))
    supervisor.wait(mariadb.NAME, lambda: mariadb.answers(server, site.socket), within=60)


def _migrate(
    home: Home, supervisor: Supervisor, services: Sequence[Service], site: Site, server: Path, data: Path
) -> None:
    for service in services:
        # a migration that a killed `up` left would work on the same tables
        supervisor.stop(_job(service))
    start(supervisor, site, server, data)
    names = [name for service in services for name in service.databases]
    statements = "".join(f"create database if not exists {name};\n" for name in names)
    environment, log = mariadb.environment(server), home.log / "migrate" / "mariadb.log"
    argv = mariadb.client(server, site.socket)
    job.run(supervisor, "migrate/mariadb", argv, environment, log, "the databases cannot be made", statements)
    with ThreadPoolExecutor(WORKERS) as pool:
        # the longest first, so that the workers end together
        order = sorted(services, key=lambda service: service.name in {"neutron", "nova"}, reverse=True)
        list(pool.map(lambda service: _migrate_one(home, supervisor, service, site), order))


def _migrate_one(home: Home, supervisor: Supervisor, service: Service, site: Site) -> None:
    files.write(service, site)
    environment, log = files.environment(service, site), home.log / "migrate" / f"{service.name}.log"
    what = f"the migration of {service.name}'s database fails"
    for command in service.migrations:
        argv = [str(site.environment / "bin" / command[0]), *command[1:]]
        job.run(supervisor, _job(service), argv, environment, log, what)


def _job(service: Service) -> str:
    return f"migrate/{service.name}"


def _pack(folder: Path, packed: Path) -> None:
    packed.parent.mkdir(parents=True, exist_ok=True)
    partial = packed.with_suffix(f".{os.getpid()}.{time.monotonic_ns()}")
    try:
        with tarfile.open(partial, "w:gz", compresslevel=1) as archive:
            archive.add(folder, arcname=".")
        partial.replace(packed)
    finally:
        partial.unlink(missing_ok=True)


def _unpack(packed: Path, folder: Path) -> None:
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
