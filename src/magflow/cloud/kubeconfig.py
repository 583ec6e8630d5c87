"""The kubeconfig of a cluster: own key, certificate signed by Magnum's CA, a file that only its owner reads."""

from __future__ import annotations

import base64
import datetime as dt
from pathlib import Path
from typing import Protocol

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from openstack.connection import Connection

from magflow.cloud.connection import readable
from magflow.private import write_private

RENEW_BEFORE = dt.timedelta(days=7)


class Reachable(Protocol):
    """A cluster of which Magnum has told the address: its facts, or an answer of the API."""

    @property
    def id(self) -> str:
        """Magnum's id."""

    @property
    def name(self) -> str:
        """The cluster's name."""

    @property
    def api_address(self) -> str:
        """URL of its API."""


def fetch(connection: Connection, cluster: Reachable, file: Path, *, dry_run: bool = False) -> bool:
    """Writes the cluster's kubeconfig, unless the one there still holds.

    The key is made here and never leaves the machine; Magnum signs a request for CN=admin, O=system:masters, as
    python-magnumclient's `coe cluster config` does.

    Args:
        connection: an authenticated connection.
        cluster: the cluster's facts.
        file: where to write (mode 0600).
        dry_run: only say whether it would be written.

    Returns:
        Whether the file was written anew.

    Raises:
        MagflowError: Magnum refused, with its own text.
    """
    service = connection.container_infrastructure_management
    with readable(f"Magnum, certificates of cluster '{cluster.name}'"):
        ca = str(service.get_cluster_certificate(cluster.id).pem)
        if _holds(file, cluster, ca):
            return False
        if dry_run:
            return True
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name(
            [
                x509.NameAttribute(NameOID.COMMON_NAME, "admin"),
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:masters"),
            ]
        )
        request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
        signed = service.create_cluster_certificate(
            cluster_uuid=cluster.id, csr=request.public_bytes(serialization.Encoding.PEM).decode()
        )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    write_private(file, _document(cluster, ca, str(signed.pem), private.decode()))
    return True


def _document(cluster: Reachable, ca: str, certificate: str, key: str) -> str:
    def data(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": cluster.name,
                    "cluster": {"server": cluster.api_address, "certificate-authority-data": data(ca)},
                }
            ],
            "users": [
                {"name": "admin", "user": {"client-certificate-data": data(certificate), "client-key-data": data(key)}}
            ],
            "contexts": [{"name": cluster.name, "context": {"cluster": cluster.name, "user": "admin"}}],
            "current-context": cluster.name,
        },
        sort_keys=False,
    )


def _holds(file: Path, cluster: Reachable, ca: str) -> bool:
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        entry = document["clusters"][0]["cluster"]
        certificate = x509.load_pem_x509_certificate(
            base64.b64decode(document["users"][0]["user"]["client-certificate-data"])
        )
        same_ca = base64.b64decode(entry["certificate-authority-data"]).decode() == ca
    except (OSError, yaml.YAMLError, KeyError, IndexError, TypeError, ValueError):
        return False
    lasts = certificate.not_valid_after_utc - dt.datetime.now(dt.UTC) > RENEW_BEFORE
    return bool(entry["server"] == cluster.api_address and same_ca and lasts)
