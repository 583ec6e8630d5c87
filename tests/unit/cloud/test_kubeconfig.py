"""The kubeconfig: own key, Magnum's signature, private, and fetched again only when the one there does not hold."""

import base64
import datetime as dt
from types import SimpleNamespace

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from magflow.cloud import kubeconfig
from magflow.facts import ClusterFacts

CLUSTER = ClusterFacts(id="u1", name="demo", api_address="https://127.0.0.1:26600", kubernetes="v1.36.3")


class Magnum:
    """Signs like Magnum does."""

    def __init__(self, days=365):
        self.days, self.signed = days, []
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "demo")])
        self.ca = self._certificate(self.name, self.key.public_key(), 3650)

    def _certificate(self, subject, public, days):
        now = dt.datetime.now(dt.UTC)
        builder = x509.CertificateBuilder().issuer_name(self.name).subject_name(subject).public_key(public)
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now)
        return builder.not_valid_after(now + dt.timedelta(days=days)).sign(self.key, hashes.SHA256())

    def get_cluster_certificate(self, _cluster):
        return SimpleNamespace(pem=self.ca.public_bytes(serialization.Encoding.PEM).decode())

    def create_cluster_certificate(self, cluster_uuid, csr):
        request = x509.load_pem_x509_csr(csr.encode())
        self.signed.append(request.subject.rfc4514_string())
        signed = self._certificate(request.subject, request.public_key(), self.days)
        return SimpleNamespace(pem=signed.public_bytes(serialization.Encoding.PEM).decode())


def cloud(magnum):
    return SimpleNamespace(container_infrastructure_management=magnum)


def test_a_private_file_with_an_administrators_certificate(tmp_path):
    file, magnum = tmp_path / "kubeconfig", Magnum()
    assert kubeconfig.fetch(cloud(magnum), CLUSTER, file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert magnum.signed == ["O=system:masters,CN=admin"]
    document = yaml.safe_load(file.read_text())
    user = document["users"][0]["user"]
    key = serialization.load_pem_private_key(base64.b64decode(user["client-key-data"]), None)
    certificate = x509.load_pem_x509_certificate(base64.b64decode(user["client-certificate-data"]))
    assert key.public_key() == certificate.public_key()
    assert document["clusters"][0]["cluster"]["server"] == CLUSTER.api_address


def test_one_that_holds_is_kept(tmp_path):
    file, magnum = tmp_path / "kubeconfig", Magnum()
    kubeconfig.fetch(cloud(magnum), CLUSTER, file)
    assert not kubeconfig.fetch(cloud(magnum), CLUSTER, file)
    assert len(magnum.signed) == 1


@pytest.mark.parametrize("spoil", ["address", "authority", "garbage", "expiry"])
def test_one_that_does_not_hold_is_fetched_again(tmp_path, spoil):
    file = tmp_path / "kubeconfig"
    magnum = Magnum(days=3 if spoil == "expiry" else 365)
    kubeconfig.fetch(cloud(magnum), CLUSTER, file)
    cluster = CLUSTER
    if spoil == "address":
        cluster = CLUSTER.model_copy(update={"api_address": "https://127.0.0.1:26601"})
    elif spoil == "authority":
        magnum = Magnum()
    elif spoil == "garbage":
        file.write_text("clusters: 1")
    assert kubeconfig.fetch(cloud(magnum), cluster, file)
