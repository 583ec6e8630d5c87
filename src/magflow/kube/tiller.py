"""The client certificate of Tiller, Helm 2's server: from the Secret that Magnum left in the cluster into files.

Magnum 8 to 17 with the label tiller_enabled=true made a CA, Tiller's and the client's certificate and put the client's
into a Secret (magnum/drivers/common/templates/kubernetes/fragments/enable-helm-tiller.sh; the same in 8.1.0, 9.4.1,
10.1.0, 12.0.0, 14.1.2 and 17.0.2; gone in 18.0.0). The certificates last 365 days and nothing renews them.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from magflow.errors import MagflowError
from magflow.kube.client import Kube
from magflow.private import private_folder, write_private

NAMESPACE = "magnum-tiller"
"""Default of the label tiller_namespace (kubecluster.yaml of those releases)."""
SECRET = "helm-client-secret"  # noqa: S105 - its name
FILES = ("ca.pem", "cert.pem", "key.pem")
"""Keys of the Secret, and where Helm 2 looks in HELM_HOME (k8s.io/helm v2.17.0, pkg/helm/environment)."""


@dataclass(frozen=True)
class Access:
    """What was found, and what was done with it.

    Attributes:
        found: whether the cluster has the Secret.
        changed: names of the files that were written or taken away, or would be.
        expires: when the client's certificate ends; None where there is none.
    """

    found: bool
    changed: tuple[str, ...] = ()
    expires: dt.datetime | None = None


def write(kube: Kube, folder: Path, namespace: str = NAMESPACE, *, dry_run: bool = False) -> Access:
    """Writes the certificates as files of mode 0600 into a folder of mode 0700, where they differ.

    A cluster without the Secret leaves no file: those of a Tiller that is gone are taken away.

    Args:
        kube: the cluster's API.
        folder: where to, such as Helm 2's HELM_HOME.
        namespace: where Tiller runs.
        dry_run: only say what would be done.

    Raises:
        MagflowError: the Secret lacks a key, or its parts do not belong together.
    """
    found = kube.get("v1", "Secret", SECRET, namespace)
    if found is None:
        return Access(found=False, changed=remove(folder, dry_run=dry_run))
    where = f"Secret {namespace}/{SECRET}"
    texts = {name: _decoded(found.get("data") or {}, name, where) for name in FILES}
    expires = _check(texts, where)
    changed = tuple(name for name, text in texts.items() if not _stands(folder / name, text))
    if not dry_run:
        private_folder(folder)
        for name in changed:
            write_private(folder / name, texts[name])
    return Access(found=True, changed=changed, expires=expires)


def remove(folder: Path, *, dry_run: bool = False) -> tuple[str, ...]:
    """Takes the files away, and the folder where nothing else is in it.

    Args:
        folder: where they were written to.
        dry_run: only say what would be done.

    Returns:
        names of the files that were there.
    """
    there = tuple(name for name in FILES if (folder / name).is_symlink() or (folder / name).exists())
    if there and not dry_run:
        _unlink(folder / name for name in there)
        if not any(folder.iterdir()):
            folder.rmdir()
    return there


def _unlink(files: Iterable[Path]) -> None:
    for file in files:
        try:
            file.unlink()
        except OSError as error:
            raise MagflowError(f"cannot remove: {error.strerror}", where=str(file)) from None


def _decoded(data: dict[str, str], name: str, where: str) -> str:
    try:
        return base64.b64decode(data[name], validate=True).decode("ascii")
    except KeyError:
        raise MagflowError(
            f"has no key '{name}'; it has {', '.join(sorted(data)) or 'none'}",
            where=where,
            hint="Magnum made it with ca.pem, cert.pem and key.pem; was it edited?",
        ) from None
    except (binascii.Error, UnicodeDecodeError):
        raise MagflowError(f"key '{name}' holds no PEM text", where=where) from None


def _check(texts: dict[str, str], where: str) -> dt.datetime:
    """When the certificate ends; raises where Tiller would only answer `bad certificate`."""
    try:
        authority, certificate = (x509.load_pem_x509_certificate(texts[name].encode()) for name in FILES[:2])
        key = load_pem_private_key(texts["key.pem"].encode(), None)
    except ValueError:
        raise MagflowError("does not hold two certificates and a key in PEM", where=where) from None
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if certificate.public_key().public_bytes(*form) != key.public_key().public_bytes(*form):
        raise MagflowError("key.pem does not belong to cert.pem", where=where, hint="was the Secret edited?")
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, InvalidSignature):
        raise MagflowError(
            "cert.pem was not signed by ca.pem",
            where=where,
            hint="two runs of Magnum's enable-helm-tiller.sh mixed their certificates; delete the Secrets of "
            f"{where.partition(' ')[2].partition('/')[0]} and run it again on the control plane",
        ) from None
    return certificate.not_valid_after_utc


def _stands(file: Path, text: str) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    return file.stat().st_mode & 0o777 == 0o600 and file.read_bytes() == text.encode()
