"""Passwords of the sandbox: random, made once, in one file that only its owner reads."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path

from magflow_sandbox.home import write_private

USERS = ("admin", "demo", "glance", "nova", "neutron", "cinder", "octavia", "magnum", "management")
"""Users of keystone; `management` is the bearer token of the management cluster's administrator."""


def load(path: Path) -> Mapping[str, str]:
    """The passwords of `path`; makes what is missing (file mode 0600)."""
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    missing = [user for user in USERS if user not in known]
    if missing:
        known.update({user: secrets.token_urlsafe(24) for user in missing})
        write_private(path, json.dumps(known, indent=2) + "\n")
    return known
