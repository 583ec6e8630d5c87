"""Rules of OS_* in the environment: they lead other tools to another cloud or project than the settings name.

What each tool does with them was read in its code. Magflow reads none but the places of files, and takes them from
Terraform's environment. terraform-provider-openstack 3.4.0 run by hand keeps the cloud that it is given (older ones
follow OS_CLOUD, issue 1269), fills what the entry leaves out, and lets OS_REGION_NAME, OS_CACERT and OS_INSECURE win.
The openstack client starts from OS_CLOUD and lets every other variable win.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from magflow.findings import Finding, error

AUTH = {
    "OS_AUTH_URL": ("auth_url",),
    "OS_USERNAME": ("username",),
    "OS_USER_ID": ("user_id",),
    "OS_PASSWORD": ("password",),
    "OS_TOKEN": ("token",),
    "OS_PROJECT_NAME": ("project_name", "tenant_name"),
    "OS_PROJECT_ID": ("project_id", "tenant_id"),
    "OS_TENANT_NAME": ("project_name", "tenant_name"),
    "OS_TENANT_ID": ("project_id", "tenant_id"),
    "OS_USER_DOMAIN_NAME": ("user_domain_name", "domain_name"),
    "OS_USER_DOMAIN_ID": ("user_domain_id", "domain_id"),
    "OS_PROJECT_DOMAIN_NAME": ("project_domain_name", "domain_name"),
    "OS_PROJECT_DOMAIN_ID": ("project_domain_id", "domain_id"),
    "OS_APPLICATION_CREDENTIAL_ID": ("application_credential_id",),
    "OS_APPLICATION_CREDENTIAL_NAME": ("application_credential_name",),
    "OS_APPLICATION_CREDENTIAL_SECRET": ("application_credential_secret",),
    "OS_SYSTEM_SCOPE": ("system_scope",),
}
"""Variable -> keys of `auth` that say the same."""

PLACES = {"OS_REGION_NAME": ("region_name",), "OS_CACERT": ("cacert",)}
"""Variable -> keys of the entry that say the same."""

SECRET = ("PASSWORD", "TOKEN", "SECRET")
CODE = "AUTH_SOURCE_CONFLICT"
HERE = "effective here: the entry of clouds.yaml; effective in `openstack` and Terraform run by hand: the variable"


def check(
    name: str, entry: Mapping[str, Any], file: Path, environ: Mapping[str, str], chosen: Path | None = None
) -> Iterator[Finding]:
    """What in the environment would lead another tool elsewhere; nothing when the values are the same.

    Args:
        name: cloud.name of the settings.
        entry: its part of clouds.yaml.
        file: where that lies.
        environ: the environment.
        chosen: cloud.clouds_file of the settings, if it is set.
    """
    unset = "unset {0}, or run: env -u {0} ... ; the settings need no OS_* (terraform-provider-openstack issue 1269)"
    cloud = environ.get("OS_CLOUD")
    if cloud and cloud != name:
        what = f"OS_CLOUD is '{cloud}', cloud.name is '{name}' (in {file}); {HERE}"
        yield error(CODE, "OS_CLOUD", what, unset.format("OS_CLOUD"))
    other = environ.get("OS_CLIENT_CONFIG_FILE")
    if other and chosen and Path(other).resolve() != chosen.resolve():
        what = f"OS_CLIENT_CONFIG_FILE is {other}, cloud.clouds_file is {chosen}; {HERE}"
        yield error(CODE, "OS_CLIENT_CONFIG_FILE", what, unset.format("OS_CLIENT_CONFIG_FILE"))
    differing = [*_differing(AUTH, entry.get("auth") or {}, environ), *_differing(PLACES, entry, environ)]
    if differing:
        said = "; ".join(words for _, words in differing)
        names = " ".join(variable for variable, _ in differing)
        what = f"{said}; in clouds.{name} of {file} it is not so; {HERE}"
        yield error(CODE, differing[0][0], what, unset.format(names.replace(" ", " -u ")))


def _differing(
    table: Mapping[str, tuple[str, ...]], values: Mapping[str, Any], environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    for variable, keys in table.items():
        given = environ.get(variable)
        there = [str(values[key]) for key in keys if values.get(key)]
        if not given or given in there:
            continue
        if any(word in variable for word in SECRET):
            yield variable, f"{variable} is {'another' if there else 'set, and the entry has none'}"
        else:
            yield variable, f"{variable} is '{given}', the entry has " + (f"'{there[0]}'" if there else "none")
