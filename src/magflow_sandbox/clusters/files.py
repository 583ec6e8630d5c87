"""The files of a cluster: certificates, kubeconfigs, kwok's stages."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path

from magflow_sandbox import pki
from magflow_sandbox.clusters import addresses, kubeconfigs, programs, stages
from magflow_sandbox.clusters.addresses import Ranges
from magflow_sandbox.home import write_private
from magflow_sandbox.pki import CA
from magflow_sandbox.toolchain import Toolchain

USERS: dict[str, tuple[str, tuple[str, ...]]] = {  # user: common name, organizations
    "admin": ("kubernetes-admin", ("system:masters",)),
    "controller-manager": ("system:kube-controller-manager", ()),
    "scheduler": ("system:kube-scheduler", ()),
    "kwok": ("sandbox-kwok", ("system:masters",)),
    "agent": ("sandbox-agent", ("system:masters",)),
}
SERVICE = "kubernetes.default.svc.cluster.local"


class ClusterFiles:
    """What a cluster's programs read.

    Args:
        folder: of the cluster.
        name: of the cluster.
        port: of its API server.
        ranges: of the cluster.
        tools: has kwok's own stages.
        names: further addresses and names in the API server's certificate.
        ca: the cluster's authority, made when not given.
        front_proxy: the aggregator's authority, made when not given.
        sa: private key (PEM) of service account tokens, made when not given.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        port: int,
        ranges: Ranges,
        tools: Toolchain,
        *,
        names: Sequence[str] = (),
        ca: CA | None = None,
        front_proxy: CA | None = None,
        sa: str | None = None,
    ) -> None:
        self.folder, self.name, self.port, self.ranges, self.tools = folder, name, port, ranges, tools
        self._names, self._ca, self._front_proxy, self._sa = tuple(names), ca, front_proxy, sa

    @property
    def pki(self) -> Path:
        """Folder of keys and certificates."""
        return self.folder / "pki"

    @property
    def stages(self) -> Path:
        """Kwok's configuration."""
        return self.folder / "stages.yaml"

    def kubeconfig(self, user: str) -> Path:
        """A user's kubeconfig, through the door."""
        return self.folder / "kubeconfig" / user

    def inside(self, user: str) -> Path:
        """A user's kubeconfig for programs inside of the cluster's namespace."""
        return self.folder / "kubeconfig" / f"inside-{user}"

    def write(self) -> None:
        """Write what is missing or does not fit any more."""
        ca = _authority(self._ca, self.pki / "ca", f"{self.name}-ca")
        front_proxy = _authority(self._front_proxy, self.pki / "front-proxy-ca", f"{self.name}-front-proxy-ca")
        self._write_account_key()
        masters = ("system:masters",)
        dns, ips = self._server_names()
        ca.ensure_pair(self.pki / "apiserver", "kube-apiserver", dns=dns, ips=ips, client=False)
        ca.ensure_pair(self.pki / "loopback", "loopback", dns=["localhost"], ips=["127.0.0.1"], client=False)
        ca.ensure_pair(self.pki / "kubelet-client", "kube-apiserver-kubelet-client", organization=masters, server=False)
        front_proxy.ensure_pair(self.pki / "front-proxy-client", "front-proxy-client", server=False)
        for user, (common_name, organization) in USERS.items():
            pair = ca.ensure_pair(self.pki / f"user-{user}", common_name, organization=organization, server=False)
            for host, path in (("127.0.0.1", self.kubeconfig(user)), (addresses.API, self.inside(user))):
                text = kubeconfigs.text(f"https://{host}:{self.port}", ca.cert, pair, cluster=self.name, user=user)
                _write_changed(path, text)
        _write_changed(self.stages, stages.text(self.tools.module_dir("kwok"), programs.LABELS))

    def _write_account_key(self) -> None:
        path = self.pki / "sa.key"
        if self._sa is not None:
            _write_changed(path, self._sa)
        elif not path.exists():
            write_private(path, pki.rsa_key())
        _write_changed(self.pki / "sa.pub", pki.public_key(path.read_text()))

    def _server_names(self) -> tuple[list[str], list[str]]:
        parts = SERVICE.split(".")
        dns = ["localhost", *(".".join(parts[:count]) for count in (1, 2, 3, 5))]
        ips = ["127.0.0.1", addresses.API, self.ranges.first_service]
        for name in self._names:
            (ips if _is_address(name) else dns).append(name)
        return dns, ips


def _authority(given: CA | None, stem: Path, common_name: str) -> CA:
    if given is None:
        return CA.ensure(stem, common_name)
    if pki.Pair.read(stem) != pki.Pair(given.cert, given.key):
        given.write(stem)
    return given


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _write_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        write_private(path, text)
