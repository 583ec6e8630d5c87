"""Preflight of clouds.yaml and of the kubeconfig: files with credentials; the cloud is not asked."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path

from magflow import paths
from magflow.checks.model import NotApplicable, check, raise_for
from magflow.checks.world import World
from magflow.cloud import certificates, clouds_file
from magflow.findings import Finding, error, warning
from magflow.rules import credentials
from magflow.rules.credentials import environment as credentials_environment

SOON = dt.timedelta(days=14)
"""Certificates that end sooner are told."""


@check("clouds-file-fits", "clouds.yaml has a whole entry for the cloud, and nothing in the environment beats it")
def clouds_file_fits(world: World) -> str:
    """Reads the file; a cloud that is not in it is told by the check that logs in."""
    cloud = world.settings.cloud
    if cloud.clouds_file and not cloud.clouds_file.is_file():
        raise NotApplicable(f"there is no {paths.shown(cloud.clouds_file)}")
    found = clouds_file.read(cloud)
    entry = found.entry(cloud.name)
    if found.path is None:
        raise NotApplicable("there is no clouds.yaml in any of the places that openstacksdk searches")
    if entry is None:
        raise NotApplicable(f"{paths.shown(found.path)} has no cloud '{cloud.name}'")
    raise_for(
        [
            *credentials.check(cloud.name, entry, Path.cwd()),
            *credentials.readable_by_others(found.path, found.path.stat().st_mode),
            *credentials_environment.check(cloud.name, entry, found.path, os.environ, cloud.clouds_file),
            *_authority(cloud.name, entry.get("cacert")),
        ]
    )
    return f"cloud '{cloud.name}' of {paths.shown(found.path)}"


def _authority(name: str, cacert: str | None) -> Iterator[Finding]:
    file = Path(cacert).expanduser() if cacert else None
    if file is None or not file.is_file():
        return
    path = f"clouds.{name}.cacert"
    try:
        found = certificates.of_file(file, "cloud's CA")
    except ValueError:
        yield error("CACERT_UNREADABLE", path, f"{file} holds no certificate in PEM form", "give the CA's PEM file")
        return
    # a bundle has many; one of them that ended does no harm while others stand
    last = max(found, key=lambda one: one.ends)
    yield from _ending(last, path, "CACERT_EXPIRES", "ask the cloud's operator for the next CA")


@check("kubeconfig-lasts", "the certificates of the last deploy's kubeconfig hold for two weeks more")
def kubeconfig_lasts(world: World) -> str:
    """A deploy renews the client's certificate; the cluster's CA it cannot."""
    file = world.kubeconfig
    if not file.is_file():
        raise NotApplicable("there is no kubeconfig before the first deploy")
    try:
        found = certificates.of_kubeconfig(file)
    except ValueError as problem:
        raise_for([_unreadable(file, str(problem))])
        return ""
    hints = {
        "client certificate": "magflow deploy fetches another",
        "cluster's CA": "openstack coe ca rotate; then every kubeconfig must be fetched anew",
    }
    raise_for(finding for one in found for finding in _ending(one, str(file), "KUBECONFIG_EXPIRES", hints[one.role]))
    return f"until {min(one.ends for one in found):%Y-%m-%d}" if found else "no certificates in it"


def _unreadable(file: Path, why: str) -> Finding:
    return warning("KUBECONFIG_UNREADABLE", str(file), f"no kubeconfig ({why})", "magflow deploy fetches another")


def _ending(one: certificates.Certificate, path: str, code: str, hint: str) -> Iterator[Finding]:
    now = dt.datetime.now(dt.UTC)
    if one.within(dt.timedelta(0), now):
        # a deploy replaces the client's certificate by itself
        make = warning if one.role == "client certificate" else error
        yield make(code, path, f"the {one.role} ended on {one.ends:%Y-%m-%d %H:%M} UTC", hint)
    elif one.within(SOON, now):
        yield warning(code, path, f"the {one.role} ends on {one.ends:%Y-%m-%d %H:%M} UTC", hint)
