"""Certificates: who issued them, for which names, when they are made anew."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from cryptography import x509

from magflow_sandbox import pki
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.pki import CA, Pair


def test_an_authority_is_made_once(tmp_path: Path) -> None:
    first = CA.ensure(tmp_path / "ca", "test-ca")
    assert CA.ensure(tmp_path / "ca", "test-ca") == first
    assert (tmp_path / "ca.key").stat().st_mode & 0o077 == 0


def test_an_issued_pair_holds_the_names_and_loads(tmp_path: Path) -> None:
    ca = CA.create("test-ca")
    pair = ca.issue("server", organization=["system:masters"], dns=["localhost"], ips=["127.0.0.1"]).write(
        tmp_path / "s"
    )
    certificate = x509.load_pem_x509_certificate(pair.cert.encode())
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(ca.cert.encode()))
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tmp_path / "s.crt", tmp_path / "s.key")


def test_a_pair_is_kept_while_it_fits(tmp_path: Path) -> None:
    ca, stem = CA.create("test-ca"), tmp_path / "pair"
    first = ca.ensure_pair(stem, "server", dns=["a"])
    assert ca.ensure_pair(stem, "server", dns=["a"]) == first
    assert ca.ensure_pair(stem, "server", dns=["a", "b"]) != first
    second = ca.ensure_pair(stem, "server", dns=["a"])
    assert CA.create("test-ca").ensure_pair(stem, "server", dns=["a"]) != second  # of another authority


def test_an_authority_with_an_rsa_key_issues_too() -> None:
    import datetime

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.x509.oid import NameOID

    key = serialization.load_pem_private_key(pki.rsa_key().encode(), None)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "old-ca")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    certificate = builder.sign(key, hashes.SHA256())
    form = serialization.Encoding.PEM
    text = key.private_bytes(form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    pair = CA(certificate.public_bytes(form).decode(), text).issue("x")
    x509.load_pem_x509_certificate(pair.cert.encode()).verify_directly_issued_by(certificate)


def test_a_key_of_another_authority_is_refused() -> None:
    with pytest.raises(SandboxError, match="not that of its certificate"):
        CA(CA.create("a").cert, CA.create("b").key).issue("x")


def test_half_a_pair_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "x.crt").write_text("half")
    assert Pair.read(tmp_path / "x") is None
