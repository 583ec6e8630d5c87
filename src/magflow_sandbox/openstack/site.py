"""Where the OpenStack of one sandbox lives: folders, ports, certificate, passwords."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

REGION = "RegionOne"
LOOPBACK = "127.0.0.1"

PORTS: Mapping[str, int] = {
    "keystone": 26500,
    "glance": 26292,
    "nova": 26774,
    "neutron": 26696,
    "cinder": 26776,
    "octavia": 26876,
    "magnum": 26511,
    "management": 26443,
}
"""Port of every door; the same number inside the namespace and on the host, so the catalog holds on both sides."""


@dataclass(frozen=True)
class Site:
    """Paths and secrets that the service files turn into configuration.

    Attributes:
        environment: the Python environment that holds the OpenStack services.
        etc: configuration is written below it, a folder a service.
        data: state of the services, a folder each.
        socket: MariaDB's unix socket; the only way to the databases.
        owner: the database's administrator.
        ca: certificate of the sandbox's own authority.
        certificate: server certificate of the doors (address 127.0.0.1), with `key`.
        passwords: service user -> password; see `magflow_sandbox.openstack.passwords`.
        chart: the Helm chart that the Magnum driver installs.
        management: kubeconfig of the management cluster.
    """

    environment: Path
    etc: Path
    data: Path
    socket: Path
    owner: str
    ca: Path
    certificate: Path
    key: Path
    passwords: Mapping[str, str] = field(repr=False)
    chart: Path
    management: Path

    def url(self, service: str, path: str = "") -> str:
        """Base address of a service's door plus `path`."""
        return f"https://{LOOPBACK}:{PORTS[service]}{path}"

    def database(self, name: str) -> str:
        """SQLAlchemy URL of a database: its owner is known by the socket's peer credentials, so no password exists."""
        return f"mysql+pymysql://{self.owner}@localhost/{name}?unix_socket={self.socket}"

    def packaged(self, relative: str) -> Path:
        """A file that a service's wheel installed below the environment's etc/."""
        return self.environment / "etc" / relative
