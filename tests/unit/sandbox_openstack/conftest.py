"""A site whose folders are temporary."""

from __future__ import annotations

from pathlib import Path

import pytest

from magflow_sandbox.openstack.passwords import USERS
from magflow_sandbox.openstack.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(
        environment=tmp_path / "venv",
        etc=tmp_path / "etc",
        data=tmp_path / "data",
        socket=tmp_path / "run" / "mariadb.sock",
        owner="root",
        ca=tmp_path / "pki" / "ca.crt",
        certificate=tmp_path / "pki" / "doors.crt",
        key=tmp_path / "pki" / "doors.key",
        passwords={user: f"password-of-{user}" for user in USERS},
        chart=tmp_path / "etc" / "chart",
        management=tmp_path / "etc" / "management.kubeconfig",
    )
