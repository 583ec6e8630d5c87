"""What a cloud has before its first user comes: catalog, users, flavors, images, the external network, a keypair.

Everything is made where it is missing, so it may be repeated; a marker spares the repetition, and is believed only when
the cloud itself confirms it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from keystoneauth1.exceptions import ClientException
from openstack.exceptions import SDKException

from magflow_sandbox.home import write_private
from magflow_sandbox.openstack import clients, flavors, identity, images, networks
from magflow_sandbox.openstack.service import Service
from magflow_sandbox.openstack.site import Site
from magflow_sandbox.supervisor import Supervisor

KEYPAIR = "magflow"
REFUSED = (SDKException, ClientException)
"""What the SDK raises when the cloud refuses something or does not answer."""
MAIN, RESTRICTED, ADMIN = "sandbox", "sandbox-restricted", "sandbox-admin"


def ensure(supervisor: Supervisor, services: tuple[Service, ...], site: Site, clouds: Path) -> bool:
    """Bring the cloud to its first state. Returns whether anything had to be done.

    Args:
        clouds: the clouds.yaml, written with its three entries.

    Raises:
        SandboxError: keystone cannot be bootstrapped; also one of `REFUSED`.
    """
    marker, digest = site.data / "bootstrap.json", _digest(services)
    if marker.exists() and json.loads(marker.read_text()) == {"digest": digest} and _confirmed(clouds):
        return False
    identity.bootstrap(supervisor, services[0], site)
    admin_entry = clients.by_password(site, "admin", "admin")
    with clients.connect(admin_entry) as admin:
        for service in services[1:]:
            identity.ensure_service(admin, service, site)
        identity.ensure_demo(admin, site)
    # a connection remembers the catalog that it was made with
    with clients.connect(admin_entry) as admin:
        flavors.ensure(admin)
        images.ensure(admin)
        networks.ensure(admin)
    with clients.connect(clients.by_password(site, identity.USER, identity.PROJECT)) as demo:
        entries = identity.ensure_credentials(demo, site, clients.read_clouds(clouds).values())
        if demo.compute.find_keypair(KEYPAIR) is None:
            demo.compute.create_keypair(name=KEYPAIR, type="ssh", public_key=_key(site.data / "keypair"))
    entries_by_cloud = {MAIN: entries["magflow"], RESTRICTED: entries["magflow-restricted"], ADMIN: admin_entry}
    clients.write_clouds(clouds, entries_by_cloud)
    write_private(marker, json.dumps({"digest": digest}))
    return True


def _digest(services: tuple[Service, ...]) -> str:
    catalog = [(service.name, service.type, service.port, service.path) for service in services]
    content = repr((catalog, flavors.FLAVORS, images.IMAGES, networks.CIDR, identity.CREDENTIALS, KEYPAIR))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _confirmed(clouds: Path) -> bool:
    """Whether the cloud lets the user of clouds.yaml in and shows what this file makes."""
    entry = clients.read_clouds(clouds).get(MAIN)
    if entry is None:
        return False
    try:
        with clients.connect(entry) as cloud:
            glance: Any = cloud.image  # a union of versions, one of them without types
            return (
                {flavor.name for flavor in flavors.FLAVORS} <= {flavor.name for flavor in cloud.compute.flavors()}
                and {image.name for image in images.IMAGES} <= {image.name for image in glance.images()}
                and cloud.network.find_network(networks.EXTERNAL) is not None
                and cloud.compute.find_keypair(KEYPAIR) is not None
            )
    except REFUSED:
        return False


def _key(path: Path) -> str:
    """Public half (OpenSSH) of the keypair whose private half lies in `path` (0600)."""
    if path.exists():
        key = serialization.load_ssh_private_key(path.read_bytes(), None)
    else:
        key = ed25519.Ed25519PrivateKey.generate()
        encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH
        write_private(path, key.private_bytes(encoding, form, serialization.NoEncryption()))
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return public.decode()
