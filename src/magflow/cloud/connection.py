"""One authenticated connection to the cloud, and the words for what can go wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import openstack.connection
import openstack.exceptions
from keystoneauth1 import exceptions as auth
from openstack.connection import Connection

from magflow.cloud import clouds_file
from magflow.errors import CannotTell, MagflowError
from magflow.settings import Cloud

SERVICES = {
    "identity": "identity",
    "image": "image",
    "compute": "compute",
    "network": "network",
    "container-infrastructure-management": "container-infra",
}
"""openstacksdk's name of each service that the suite speaks to, and the catalog type that clouds register."""


def connect(cloud: Cloud) -> Connection:
    """Opens and authenticates a connection.

    Only clouds.yaml counts (see `clouds_file`), and no OS_* variable of the shell but the place of that file.

    Raises:
        CannotTell: no such cloud, an unreachable Keystone, a certificate that does not verify.
        MagflowError: Keystone refused the credentials.
    """
    found = clouds_file.read(cloud)
    place = str(found.path or "clouds.yaml")
    if cloud.name not in found.names:
        raise CannotTell(
            f"cloud '{cloud.name}' is not in clouds.yaml",
            where=place,
            hint=f"set cloud.name to one of: {', '.join(found.names) or 'none is there'}",
        )
    with readable(f"{place} clouds.{cloud.name}"):
        region = found.config.get_one(cloud=cloud.name)
    _check_cacert(region.config.get("cacert"), place, cloud.name)
    with readable(f"cloud '{cloud.name}' at {region.config.get('auth', {}).get('auth_url', 'no auth_url')}"):
        connection = openstack.connection.Connection(config=region)
        connection.authorize()
    return connection


@contextmanager
def readable(where: str) -> Iterator[None]:
    """Turns the clients' exceptions into what, where and what to do; the service's own text is kept.

    Args:
        where: what was being spoken to.
    """
    try:
        yield
    except (auth.SSLError, openstack.exceptions.SDKException, auth.ClientException) as error:
        raise _translate(error, where) from None


def _translate(error: Exception, where: str) -> MagflowError:
    cause = error.__cause__ or error.__context__
    for found in (error, cause):
        match found:
            case auth.SSLError():
                return CannotTell(
                    f"the certificate does not verify: {_text(found)}",
                    where=where,
                    hint="set cacert of this cloud in clouds.yaml to the CA that signed it",
                )
            case auth.Unauthorized():
                return MagflowError(
                    f"Keystone refused the credentials: {_text(found)}",
                    where=where,
                    hint="check user, secret and expiry: openstack token issue",
                )
            case auth.ConnectFailure() | auth.DiscoveryFailure():
                return CannotTell(
                    f"not reachable: {_text(found)}", where=where, hint="is the cloud up, and reachable from here?"
                )
            case auth.EndpointNotFound():
                return CannotTell(
                    f"the catalog has no endpoint: {_text(found)}", where=where, hint="openstack catalog list"
                )
    return MagflowError(_text(error), where=where)


def _text(error: BaseException) -> str:
    return " ".join(str(error).split())


def _check_cacert(cacert: str | None, place: str, name: str) -> None:
    if cacert and not Path(cacert).is_file():
        raise CannotTell(
            f"cacert '{cacert}' is not a file (tried {Path(cacert).absolute()})",
            where=f"{place} clouds.{name}.cacert",
            hint="give the absolute path of the CA file",
        )
