"""Writes what a service reads: configuration, folders, keys."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from pathlib import Path

from magflow_sandbox.home import write_private
from magflow_sandbox.openstack.service import Service, render
from magflow_sandbox.openstack.site import Site

PROGRAMS = Path(__file__).parent / "run"
"""Programs that run in the environment of the services; a folder of their own, or our keystone.py would hide theirs."""


def write(service: Service, site: Site) -> None:
    """Write the configuration (0600: it holds passwords) and make the folders; keystone's keys are made once."""
    for name, ini in service.files.items():
        write_private(site.etc / service.name / name, render(ini))
    for folder in (*service.folders, "home", "tmp"):
        (site.data / service.name / folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    if service.name == "keystone":
        for keys in ("fernet-keys", "credential-keys"):
            _fernet_keys(site.data / "keystone" / keys)


def _fernet_keys(folder: Path) -> None:
    """What `keystone-manage fernet_setup` makes: a staged key 0 and a primary key 1."""
    for index in ("0", "1"):
        if not (folder / index).exists():
            write_private(folder / index, base64.urlsafe_b64encode(secrets.token_bytes(32)))


def environment(service: Service, site: Site, programs: tuple[Path, ...] = ()) -> dict[str, str]:
    """The whole environment of a service's processes: nothing is inherited, above all no REQUESTS_CA_BUNDLE.

    Args:
        programs: folders put on PATH (the Magnum driver runs `helm`).
    """
    own = site.data / service.name
    path = [str(site.environment / "bin"), *map(str, programs), "/usr/bin", "/bin"]
    return {
        "PATH": ":".join(path),
        "HOME": str(own / "home"),
        "TMPDIR": str(own / "tmp"),
        "LANG": "C.UTF-8",
        "MALLOC_ARENA_MAX": "2",
        "PYTHONUNBUFFERED": "1",
        **service.variables,
    }


def digest(service: Service) -> str:
    """Changes with the configuration: a running process with another digest is to be restarted."""
    content = {name: render(ini) for name, ini in service.files.items()}
    code = [path.read_text() for path in sorted(PROGRAMS.glob("*.py"))]
    return hashlib.sha256(json.dumps([content, code]).encode()).hexdigest()[:16]


def command(service: Service, site: Site) -> list[str]:
    """Command of a service's process."""
    return [
        str(site.environment / "bin" / "python"),
        str(PROGRAMS / service.program),
        str(service.port),
        str(site.certificate),
        str(site.key),
        *([service.application] if service.application else []),
        *service.arguments,
    ]
