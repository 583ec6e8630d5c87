"""Until when certificates hold."""

from __future__ import annotations

import base64
import datetime as dt
from dataclasses import dataclass
from pathlib import Path

import yaml
from cryptography import x509


@dataclass(frozen=True)
class Certificate:
    """A certificate: what it is for, and when it ends."""

    role: str
    ends: dt.datetime

    def within(self, time: dt.timedelta, now: dt.datetime) -> bool:
        """Whether it ends in that time."""
        return self.ends - now < time


def of_kubeconfig(file: Path) -> list[Certificate]:
    """The user's certificate and the cluster's authorities of a kubeconfig, those that lie in the file itself.

    Args:
        file: a kubeconfig.

    Raises:
        ValueError: it is none.
    """
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        user = document["users"][0]["user"].get("client-certificate-data")
        authority = document["clusters"][0]["cluster"].get("certificate-authority-data")
    except (OSError, yaml.YAMLError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}") from None
    found = []
    for role, data in (("client certificate", user), ("cluster's CA", authority)):
        if data:
            pem = base64.b64decode(data)
            found += [Certificate(role, one.not_valid_after_utc) for one in x509.load_pem_x509_certificates(pem)]
    return found


def of_file(file: Path, role: str) -> list[Certificate]:
    """The certificates of a PEM file.

    Raises:
        ValueError: there is none in it.
    """
    try:
        found = x509.load_pem_x509_certificates(file.read_bytes())
    except OSError as error:
        raise ValueError(str(error)) from None
    return [Certificate(role, one.not_valid_after_utc) for one in found]
