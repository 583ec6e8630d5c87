"""Rules of one entry of clouds.yaml: what Keystone or one of the tools that read it would refuse. No value of a secret
is ever part of a finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from magflow.findings import Finding, error, warning

APPLICATION_CREDENTIAL = ("application_credential_id", "application_credential_name")
SCOPE = (
    "project_name",
    "project_id",
    "tenant_name",
    "tenant_id",
    "project_domain_name",
    "project_domain_id",
    "domain_name",
    "domain_id",
    "system_scope",
    "trust_id",
)
"""What names a scope; an application credential has its own."""

ANY_DOMAIN = ("domain_id", "domain_name", "default_domain", "default_domain_id", "default_domain_name")


def check(name: str, entry: Mapping[str, Any], here: Path) -> Iterator[Finding]:
    """What does not hold of an entry.

    Args:
        name: of the cloud.
        entry: its part of clouds.yaml, with what secure.yaml adds.
        here: the folder that relative paths are tried from.
    """
    path = f"clouds.{name}"
    auth = entry.get("auth") or {}
    if any(auth.get(key) for key in APPLICATION_CREDENTIAL):
        yield from _application_credential(path, entry, auth)
    elif auth.get("username") or auth.get("password"):
        yield from _domains(path, auth)
    if not (auth.get("auth_url") or entry.get("profile") or entry.get("cloud")):
        yield error("AUTH_URL_MISSING", f"{path}.auth.auth_url", "there is no auth_url", "give Keystone's URL")
    yield from _trust(path, entry, here)


def _application_credential(path: str, entry: Mapping[str, Any], auth: Mapping[str, Any]) -> Iterator[Finding]:
    scope = [key for key in SCOPE if auth.get(key)]
    if scope:
        yield error(
            "APPCRED_WITH_SCOPE",
            f"{path}.auth.{scope[0]}",
            f"an application credential has its project already, and Keystone refuses another scope "
            f"({', '.join(scope)}; gophercloud/utils issue 73)",
            f"leave {', '.join(scope)} out",
        )
    if entry.get("auth_type") != "v3applicationcredential":
        given = f"is {entry['auth_type']}" if entry.get("auth_type") else "is not set"
        yield error(
            "APPCRED_AUTH_TYPE_MISSING",
            f"{path}.auth_type",
            f"auth_type {given}, and without v3applicationcredential openstacksdk takes the entry for a password",
            "set auth_type: v3applicationcredential",
        )


def _domains(path: str, auth: Mapping[str, Any]) -> Iterator[Finding]:
    if any(auth.get(key) for key in ANY_DOMAIN):
        return
    by_name = {"user": auth.get("username"), "project": auth.get("project_name") or auth.get("tenant_name")}
    missing = [
        f"{what}_domain_name"
        for what, named in by_name.items()
        if named and not (auth.get(f"{what}_domain_id") or auth.get(f"{what}_domain_name"))
    ]
    if missing:
        yield error(
            "DOMAIN_MISSING",
            f"{path}.auth.{missing[0]}",
            f"{' and '.join(missing)} is missing: a name is unique within a domain alone "
            "(terraform-provider-openstack issue 372)",
            f"set {' and '.join(missing)}, often Default, or the domains' ids",
        )


def _trust(path: str, entry: Mapping[str, Any], here: Path) -> Iterator[Finding]:
    cacert = entry.get("cacert")
    if cacert:
        given = Path(str(cacert)).expanduser()
        tried = here / given
        if not tried.is_file():
            yield error(
                "CACERT_NOT_FOUND",
                f"{path}.cacert",
                f"cacert '{cacert}' is not a file (tried {tried})",
                "give the absolute path of the CA file",
            )
        elif not Path(str(cacert)).is_absolute():
            yield error(
                "CACERT_RELATIVE",
                f"{path}.cacert",
                f"cacert '{cacert}' is found from here alone ({tried}); Terraform runs in another folder "
                "(terraform-provider-openstack issue 339)",
                f"write {tried.resolve()}",
            )
    if entry.get("verify") is False or entry.get("insecure") is True:
        yield warning(
            "VERIFY_OFF",
            f"{path}.verify",
            "certificates are not verified: whoever sits in between reads the credential",
            "set cacert to the CA that signed them, and leave verify out",
        )


def readable_by_others(file: Path, mode: int) -> Iterator[Finding]:
    """Whether others than its owner may read a file of credentials.

    Args:
        file: clouds.yaml or secure.yaml.
        mode: its permission bits.
    """
    if mode & 0o044:
        yield warning(
            "CLOUDS_FILE_READABLE",
            str(file),
            f"others may read the credentials in it (mode {mode & 0o777:o})",
            f"chmod 600 {file}",
        )
