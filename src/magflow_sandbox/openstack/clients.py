"""Ways in to the sandbox's OpenStack: the entries of clouds.yaml, and connections made from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openstack
import yaml
from openstack.connection import Connection

from magflow_sandbox.home import write_private
from magflow_sandbox.openstack.site import REGION, Site

Entry = Mapping[str, Any]


def by_password(site: Site, user: str, project: str) -> Entry:
    """Entry for a user of the default domain."""
    return _entry(
        site,
        "v3password",
        {
            "username": user,
            "password": site.passwords[user],
            "project_name": project,
            "user_domain_name": "Default",
            "project_domain_name": "Default",
        },
    )


def by_credential(site: Site, identity: str, secret: str) -> Entry:
    """Entry for an application credential."""
    auth = {"application_credential_id": identity, "application_credential_secret": secret}
    return _entry(site, "v3applicationcredential", auth)


def _entry(site: Site, kind: str, auth: Mapping[str, str]) -> Entry:
    return {
        "auth_type": kind,
        "auth": {"auth_url": site.url("keystone", "/v3"), **auth},
        "region_name": REGION,
        "interface": "public",
        "identity_api_version": 3,
        "cacert": str(site.ca),
    }


def connect(entry: Entry) -> Connection:
    """Connect by an entry alone: neither a clouds.yaml nor OS_ variables of the caller take part."""
    return openstack.connect(load_yaml_config=False, load_envvars=False, app_name="magflow-sandbox", **entry)


def write_clouds(path: Path, entries: Mapping[str, Entry]) -> None:
    """Write a clouds.yaml (0600)."""
    write_private(path, yaml.safe_dump({"clouds": {name: dict(entry) for name, entry in entries.items()}}))


def read_clouds(path: Path) -> Mapping[str, Entry]:
    """The entries of a clouds.yaml; empty when there is none."""
    if not path.exists():
        return {}
    return dict((yaml.safe_load(path.read_text()) or {}).get("clouds") or {})
