"""Users, projects, the service catalog, application credentials."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from openstack.connection import Connection

from magflow_sandbox.openstack import clients, files, job, octavia
from magflow_sandbox.openstack.service import Service
from magflow_sandbox.openstack.site import REGION, Site
from magflow_sandbox.supervisor import Supervisor

PROJECT = USER = "demo"
CREDENTIALS = {"magflow": True, "magflow-restricted": False}
"""Application credential of the demo user -> whether it is unrestricted (Magnum makes others by it)."""


def bootstrap(supervisor: Supervisor, keystone: Service, site: Site) -> None:
    """Make the admin and keystone's own endpoint; the password goes by the environment, not by argv.

    Raises:
        SandboxError: keystone-manage fails.
    """
    url = site.url("keystone", keystone.path)
    config = site.etc / "keystone" / "keystone.conf"
    argv = [str(site.environment / "bin" / "keystone-manage"), "--config-file", str(config), "bootstrap"]
    environment = {
        **files.environment(keystone, site),
        "OS_BOOTSTRAP_USERNAME": "admin",
        "OS_BOOTSTRAP_PASSWORD": site.passwords["admin"],
        "OS_BOOTSTRAP_PROJECT_NAME": "admin",
        "OS_BOOTSTRAP_ROLE_NAME": "admin",
        "OS_BOOTSTRAP_SERVICE_NAME": "keystone",
        "OS_BOOTSTRAP_REGION_ID": REGION,
        "OS_BOOTSTRAP_PUBLIC_URL": url,
        "OS_BOOTSTRAP_INTERNAL_URL": url,
        "OS_BOOTSTRAP_ADMIN_URL": url,
    }
    log = supervisor.home.log / "bootstrap.log"
    job.run(supervisor, "bootstrap", argv, environment, log, "keystone cannot be bootstrapped")


def ensure_service(admin: Connection, service: Service, site: Site) -> None:
    """A service's user, catalog entry and endpoints."""
    identity: Any = admin.identity
    project = identity.find_project("service") or identity.create_project(name="service", domain_id="default")
    user = identity.find_user(service.name) or identity.create_user(
        name=service.name,
        password=site.passwords[service.name],
        domain_id="default",
        default_project_id=project.id,
    )
    for role in ("admin", "service"):
        identity.assign_project_role_to_user(project, user, identity.find_role(role, ignore_missing=False))
    entry = next(iter(identity.services(type=service.type)), None)
    if entry is None:
        entry = identity.create_service(name=service.name, type=service.type)
    known = {endpoint.interface for endpoint in identity.endpoints(service_id=entry.id)}
    for interface in {"public", "internal", "admin"} - known:
        url = site.url(service.name, service.path)
        identity.create_endpoint(service_id=entry.id, interface=interface, url=url, region_id=REGION)


def ensure_demo(admin: Connection, site: Site) -> None:
    """The project and user that clusters are made by: a member who may have load balancers, not an administrator."""
    identity: Any = admin.identity
    project = identity.find_project(PROJECT) or identity.create_project(name=PROJECT, domain_id="default")
    user = identity.find_user(USER) or identity.create_user(
        name=USER, password=site.passwords[USER], domain_id="default", default_project_id=project.id
    )
    for role in ("member", octavia.ROLE):
        found = identity.find_role(role) or identity.create_role(name=role)
        identity.assign_project_role_to_user(project, user, found)


def ensure_credentials(demo: Connection, site: Site, known: Iterable[clients.Entry]) -> dict[str, clients.Entry]:
    """Entries for the application credentials; one whose secret is no longer known is made anew."""
    secrets = {
        entry["auth"]["application_credential_id"]: entry["auth"]["application_credential_secret"]
        for entry in known
        if "application_credential_id" in entry["auth"]
    }
    identity: Any = demo.identity
    user = demo.current_user_id
    entries = {}
    for name, unrestricted in CREDENTIALS.items():
        found = next((item for item in identity.application_credentials(user) if item.name == name), None)
        if found is not None and found.id not in secrets:
            identity.delete_application_credential(user, found)
            found = None
        if found is None:
            found = identity.create_application_credential(user, name, unrestricted=unrestricted)
            secrets[found.id] = found.secret
        entries[name] = clients.by_credential(site, found.id, secrets[found.id])
    return entries
