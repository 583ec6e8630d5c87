"""From a home and a toolchain to the site that the services are configured for."""

from __future__ import annotations

from pathlib import Path

import yaml

import magflow_sandbox
from magflow_sandbox import pki
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.openstack import mariadb, passwords
from magflow_sandbox.openstack.site import LOOPBACK, Site
from magflow_sandbox.toolchain import Toolchain

CHART = Path(magflow_sandbox.__file__).parent / "chart" / "openstack-cluster"


def place(home: Home, toolchain: Toolchain) -> Site:
    """The site of a home: its authority, door certificate and passwords are made when they are not there.

    Raises:
        SandboxError: the OpenStack environment is not installed yet.
    """
    pki.CA.ensure(home.pki / "ca", "magflow-sandbox-ca").ensure_pair(
        home.pki / "doors", "doors", ips=[LOOPBACK], dns=["localhost"], client=False
    )
    return Site(
        environment=toolchain.venv("openstack"),
        etc=home.etc,
        data=home.data,
        socket=home.run / "mariadb.sock",
        owner=mariadb.owner(),
        ca=home.pki / "ca.crt",
        certificate=home.pki / "doors.crt",
        key=home.pki / "doors.key",
        passwords=passwords.load(home.data / "passwords.json"),
        chart=home.etc / "chart" / "openstack-cluster",
        management=home.etc / "management.kubeconfig",
    )


def kubernetes_versions(toolchain: Toolchain) -> list[str]:
    """Versions (v1.2.3) of which the toolchain has all the programs of a control plane."""
    tools = toolchain.tools.values()
    return [
        tool.version
        for tool in tools
        if "kube-apiserver" in tool.programs and all(toolchain.has(name, tool.version) for name in tool.programs)
    ]


def write_chart(folder: Path, versions: list[str]) -> None:
    """A copy of our chart that knows which Kubernetes versions there are.

    Only what differs is written, each file at once: Helm may be reading them for a cluster.
    """
    for source in sorted(path for path in CHART.rglob("*") if path.is_file()):
        content, target = source.read_text(), folder / source.relative_to(CHART)
        if source.name == "values.yaml":
            known = [version.removeprefix("v") for version in versions]
            content = yaml.safe_dump(yaml.safe_load(content) | {"availableKubernetesVersions": known})
        if not target.exists() or target.read_text() != content:
            write_private(target, content)
