"""Which driver Magnum gives a cluster to: it looks at server_type, the image's os_distro, and the orchestrator."""

from __future__ import annotations

from magflow.findings import Finding, error
from magflow.rules.compatibility.data import DriverRow, shown, table
from magflow.rules.driver import Target
from magflow.settings import Settings


def served(target: Target) -> list[DriverRow]:
    """The drivers that a cloud with this driver and release has; all releases when it is not known."""
    release = target.release.version if target.release else None
    rows = [row for row in table().drivers if row.driver == target.driver]
    return [row for row in rows if release is None or row.magnum.holds(release)]


def program(settings: Settings, target: Target, os_distro: str | None) -> str | None:
    """Name of the driver that serves the cluster, such as k8s_capi_helm_v1; None: none, or the image is not known."""
    for row in served(target):
        for triple in row.serves:
            if (triple.server_type, triple.os_distro) == (settings.cluster.server_type, os_distro):
                return row.name
    return None


def check(settings: Settings, target: Target, os_distro: str | None, image: str | None = None) -> list[Finding]:
    """Whether a driver serves the cluster (magnum-cluster-api issue 151, pull request 1014).

    Args:
        settings: of one cluster.
        target: its driver and release.
        os_distro: the image's property, as the settings or the image itself tell it; None: not told.
        image: name and id of the image, when it is the image that told.
    """
    rows = served(target)
    where = f"Magnum {target.release}" if target.release else "Magnum"
    if not rows:
        return _too_old(target)
    server_type = settings.cluster.server_type
    triples = [triple for row in rows for triple in row.serves]
    fitting = [t for t in triples if t.server_type == server_type and os_distro in (t.os_distro, None)]
    if fitting:
        return []
    path = "cluster.server_type" if all(t.server_type != server_type for t in triples) else "image.os_distro"
    hint = f"served are {', '.join(str(triple) for triple in triples)}"
    if server_type == "bm":
        hint += "; bare metal is reached by server_type vm with an Ironic flavor"
    elif image:
        hint += f"; openstack image set {image} --property os_distro=..."
    said = f"({server_type}, {os_distro or 'not told'}, kubernetes)"
    of_image = f" of image {image}" if image else ""
    what = f"{where} with {target.driver} has no driver for {said}{of_image}, as (server_type, os_distro, coe)"
    return [error("NO_DRIVER_FOR_TYPE", path, what, hint)]


def _too_old(target: Target) -> list[Finding]:
    rows = [row for row in table().drivers if row.driver == target.driver]
    first = min(row.magnum.from_ or () for row in rows)
    if target.release is None or target.release.version >= first:
        return []  # removed drivers are told where the driver is chosen
    what = f"{target.driver} needs Magnum {shown(first)}, the cloud has {target.release} ({rows[0].source})"
    return [error("DRIVER_TOO_NEW", "cloud.driver", what, f"nearest: Magnum {shown(first)}, or cloud.driver heat")]
