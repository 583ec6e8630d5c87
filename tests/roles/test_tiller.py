"""Tiller's client certificate out of a real API server: the files, and a server that asks for them."""

from __future__ import annotations

import base64
import datetime as dt
import socket
import ssl
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from magflow.errors import MagflowError
from magflow.kube import tiller

NOW = dt.datetime.now(dt.UTC).replace(microsecond=0)
LABELS = {"app": "helm", "name": "helm-client"}


class Authority:
    """A CA and what it signs, with the names of Magnum's enable-helm-tiller.sh."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self.sign("tiller", self.key, None, NOW + dt.timedelta(days=7300))

    def sign(self, name, key, issuer, until):
        def called(common):
            return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])

        return (
            x509.CertificateBuilder()
            .subject_name(called(name))
            .issuer_name(called("tiller"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - dt.timedelta(days=400))
            .not_valid_after(until)
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
            .sign(self.key, hashes.SHA256())
        )

    def pair(self, name, until=NOW + dt.timedelta(days=365)):
        key = ec.generate_private_key(ec.SECP256R1())
        return pem(self.sign(name, key, self.certificate, until)), pem(key)

    @property
    def pem(self):
        return pem(self.certificate)


def pem(thing):
    if isinstance(thing, x509.Certificate):
        return thing.public_bytes(serialization.Encoding.PEM).decode()
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return thing.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def keep(kube, namespace):
    """Puts the client's Secret into the namespace, as Magnum does."""

    def put(**texts):
        data = {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
        body = {"metadata": {"name": tiller.SECRET, "labels": LABELS}, "type": "Opaque", "data": data}
        kube.call("POST", f"/api/v1/namespaces/{namespace}/secrets", body=body)

    return put


def files(authority, **other):
    certificate, key = authority.pair("helm-client")
    return {"ca.pem": authority.pem, "cert.pem": certificate, "key.pem": key} | other


def test_files_are_written_once_and_are_private(kube, namespace, keep, authority, tmp_path):
    folder = tmp_path / "helm"
    given = files(authority)
    keep(**given)
    dry = tiller.write(kube, folder, namespace, dry_run=True)
    assert (dry.changed, folder.exists()) == (tiller.FILES, False)
    done = tiller.write(kube, folder, namespace)
    assert (done.found, done.changed, done.expires) == (True, tiller.FILES, NOW + dt.timedelta(days=365))
    assert {path.name: path.read_text() for path in folder.iterdir()} == given
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert tiller.write(kube, folder, namespace).changed == ()


def test_what_was_spoiled_is_written_again(kube, namespace, keep, authority, tmp_path):
    keep(**files(authority))
    tiller.write(kube, tmp_path, namespace)
    (tmp_path / "key.pem").chmod(0o640)
    (tmp_path / "cert.pem").write_text("other")
    (tmp_path / "ca.pem").rename(tmp_path / "elsewhere")
    (tmp_path / "ca.pem").symlink_to(tmp_path / "elsewhere")
    assert tiller.write(kube, tmp_path, namespace).changed == tiller.FILES
    assert not (tmp_path / "ca.pem").is_symlink()
    assert tiller.write(kube, tmp_path, namespace).changed == ()


def test_without_a_tiller_no_file_stays(kube, namespace, tmp_path):
    folder = tmp_path / "helm"
    folder.mkdir()
    (folder / "key.pem").write_text("of a Tiller that is gone")
    assert tiller.write(kube, folder, namespace, dry_run=True).changed == ("key.pem",)
    assert (folder / "key.pem").exists()
    assert tiller.write(kube, folder, namespace) == tiller.Access(found=False, changed=("key.pem",))
    assert not folder.exists()
    assert tiller.write(kube, folder, namespace) == tiller.Access(found=False)


def test_a_folder_with_something_else_stays(tmp_path):
    (tmp_path / "key.pem").write_text("ours")
    (tmp_path / "repositories.yaml").write_text("Helm's")
    assert tiller.remove(tmp_path) == ("key.pem",)
    assert [path.name for path in tmp_path.iterdir()] == ["repositories.yaml"]


def test_an_ended_certificate_is_told(kube, namespace, keep, authority, tmp_path):
    ended = NOW - dt.timedelta(days=30)
    certificate, key = authority.pair("helm-client", until=ended)
    keep(**{"ca.pem": authority.pem, "cert.pem": certificate, "key.pem": key})
    assert tiller.write(kube, tmp_path, namespace).expires == ended


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda given: given.pop("key.pem"), r"has no key 'key\.pem'; it has ca\.pem, cert\.pem"),
        (lambda given: given.update({"key.pem": "words"}), "does not hold two certificates and a key"),
        (lambda given: given.update({"ca.pem": "ä"}), r"key 'ca\.pem' holds no PEM text"),
        (lambda given: given.update({"key.pem": Authority().pair("x")[1]}), r"key\.pem does not belong to cert\.pem"),
        (lambda given: given.update({"ca.pem": Authority().pem}), r"cert\.pem was not signed by ca\.pem"),
    ],
)
def test_what_cannot_work_is_refused_and_not_shown(kube, namespace, keep, authority, tmp_path, spoil, words):
    given = files(authority)
    secret = given["key.pem"]
    spoil(given)
    keep(**given)
    with pytest.raises(MagflowError, match=words) as caught:
        tiller.write(kube, tmp_path / "helm", namespace)
    assert caught.value.where == f"Secret {namespace}/{tiller.SECRET}"
    assert "PRIVATE KEY" not in str(caught.value) and secret not in str(caught.value)
    assert not (tmp_path / "helm").exists()


def greeting(server_files, client_files):
    """What a server that asks for a client certificate, as Tiller does, says to one."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(server_files / "tls.crt", server_files / "tls.key")
    server.load_verify_locations(server_files / "ca.crt")
    server.verify_mode = ssl.CERT_REQUIRED
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False  # Helm 2 without --tls-verify; Tiller's certificate has no host name
    client.load_cert_chain(client_files / "cert.pem", client_files / "key.pem")
    client.load_verify_locations(client_files / "ca.pem")
    door = socket.create_server(("127.0.0.1", 0))

    def serve():
        with door, door.accept()[0] as plain:
            try:
                with server.wrap_socket(plain, server_side=True) as safe:
                    safe.sendall(safe.getpeercert()["subject"][0][0][1].encode())
            except ssl.SSLError:
                pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    with socket.create_connection(door.getsockname(), timeout=10) as plain, client.wrap_socket(plain) as safe:
        said = safe.recv(100).decode()
    thread.join(10)
    return said


def test_the_files_open_tillers_door(kube, namespace, keep, authority, tmp_path):
    keep(**files(authority))
    tiller.write(kube, tmp_path / "helm", namespace)
    certificate, key = authority.pair("tiller-server")
    server = tmp_path / "server"
    server.mkdir()
    for name, text in {"ca.crt": authority.pem, "tls.crt": certificate, "tls.key": key}.items():
        (server / name).write_text(text)
    assert greeting(server, tmp_path / "helm") == "helm-client"
    (server / "ca.crt").write_text(Authority().pem)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        assert greeting(server, tmp_path / "helm") == "refused"
