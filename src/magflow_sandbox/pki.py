"""Certificate authorities and what they issue.

Usage::

    ca = CA.ensure(home.pki / "ca", "magflow-sandbox-ca")        # ca.crt and ca.key; made once
    ca = CA(cert_pem, key_pem)                                    # one that somebody else made (Magnum)
    pair = ca.issue("kube-apiserver", ips=["127.0.0.1"], dns=["kubernetes"])
    pair.write(folder / "apiserver")                              # apiserver.crt and apiserver.key, both 0600
    ca.ensure_pair(folder / "apiserver", "kube-apiserver", ips=[...], dns=[...])   # kept while it fits, else a new one

Keys are ECDSA P-256 (quick to make); a CA with an RSA key signs as well.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import write_private

VALID = datetime.timedelta(days=3650)
_Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True)
class Pair:
    """A certificate and its private key, PEM."""

    cert: str
    key: str

    def write(self, stem: Path) -> Pair:
        """Write ``<stem>.key`` and then ``<stem>.crt``, both mode 0600."""
        write_private(stem.with_name(stem.name + ".key"), self.key)
        write_private(stem.with_name(stem.name + ".crt"), self.cert)
        return self

    @classmethod
    def read(cls, stem: Path) -> Pair | None:
        """The written pair, or None when it is not complete."""
        try:
            cert = stem.with_name(stem.name + ".crt").read_text()
            return cls(cert, stem.with_name(stem.name + ".key").read_text())
        except FileNotFoundError:
            return None


@dataclass(frozen=True)
class CA(Pair):
    """A certificate authority."""

    @classmethod
    def create(cls, common_name: str) -> CA:
        """A new self-signed authority."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        certificate = (
            _start(name, name, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_usage(ca=True), critical=True)
            .add_extension(identifier, critical=False)
            .sign(key, hashes.SHA256())
        )
        return cls(_pem(certificate), _key_pem(key))

    @classmethod
    def ensure(cls, stem: Path, common_name: str) -> CA:
        """The authority in ``<stem>.crt`` and ``<stem>.key``, made when it is not there."""
        found = Pair.read(stem)
        if found is None:
            found = cls.create(common_name).write(stem)
        return cls(found.cert, found.key)

    def issue(
        self,
        common_name: str,
        *,
        organization: Sequence[str] = (),
        dns: Sequence[str] = (),
        ips: Sequence[str] = (),
        server: bool = True,
        client: bool = True,
    ) -> Pair:
        """A certificate of this authority, with the authority's own certificate not included.

        Raises:
            SandboxError: the authority's certificate and key do not read or do not belong together.
        """
        issuer, authority = self._load()
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, item) for item in organization]
        subject = x509.Name([*names, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        uses = [ExtendedKeyUsageOID.SERVER_AUTH] * server + [ExtendedKeyUsageOID.CLIENT_AUTH] * client
        builder = (
            _start(subject, issuer.subject, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(ca=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .add_extension(_authority_identifier(issuer, authority.public_key()), critical=False)
        )
        if dns or ips:
            addresses = [x509.IPAddress(ipaddress.ip_address(item)) for item in ips]
            builder = builder.add_extension(
                x509.SubjectAlternativeName([*map(x509.DNSName, dns), *addresses]), critical=False
            )
        return Pair(_pem(builder.sign(authority, hashes.SHA256())), _key_pem(key))

    def ensure_pair(
        self,
        stem: Path,
        common_name: str,
        *,
        organization: Sequence[str] = (),
        dns: Sequence[str] = (),
        ips: Sequence[str] = (),
        server: bool = True,
        client: bool = True,
    ) -> Pair:
        """The written pair while it is ours, has these names and is valid for 30 days more; else a new one."""
        found = Pair.read(stem)
        if found is not None and self._fits(found, set(dns) | set(ips)):
            return found
        issued = self.issue(common_name, organization=organization, dns=dns, ips=ips, server=server, client=client)
        return issued.write(stem)

    def _load(self) -> tuple[x509.Certificate, _Key]:
        try:
            certificate = x509.load_pem_x509_certificate(self.cert.encode())
            key = serialization.load_pem_private_key(self.key.encode(), None)
        except ValueError as error:
            raise SandboxError(f"a certificate authority does not read: {error}") from error
        if not isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
            raise SandboxError("a certificate authority's key is neither ECDSA nor RSA")
        if key.public_key() != certificate.public_key():
            raise SandboxError("a certificate authority's key is not that of its certificate")
        return certificate, key

    def _fits(self, pair: Pair, names: set[str]) -> bool:
        certificate = x509.load_pem_x509_certificate(pair.cert.encode())
        try:
            certificate.verify_directly_issued_by(self._load()[0])
        except Exception:  # cryptography raises several kinds; each means that it is not ours
            return False
        try:
            held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            found = set(held.get_values_for_type(x509.DNSName)) | {
                str(item) for item in held.get_values_for_type(x509.IPAddress)
            }
        except x509.ExtensionNotFound:
            found = set()
        soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=30)
        return found == names and certificate.not_valid_after_utc > soon


def rsa_key() -> str:
    """A new RSA private key of 2048 bits (PKCS#8 PEM), as service account tokens need."""
    return _key_pem(rsa.generate_private_key(65537, 2048))


def public_key(private: str) -> str:
    """The public half (PEM) of a private key."""
    key = serialization.load_pem_private_key(private.encode(), None)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def _start(subject: x509.Name, issuer: x509.Name, key: _Key) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + VALID)
    )


def _authority_identifier(
    issuer: x509.Certificate, key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey
) -> x509.AuthorityKeyIdentifier:
    """The issuer's own subject key identifier where it has one (not everybody derives it the same way)."""
    try:
        held = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    except x509.ExtensionNotFound:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(key)
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(held)


def _usage(*, ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=not ca,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=ca,
        crl_sign=ca,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _key_pem(key: _Key) -> str:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
