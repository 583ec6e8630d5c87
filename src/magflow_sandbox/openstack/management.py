"""The management cluster: etcd and an API server with the real Cluster API kinds, and no controller but ours."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from magflow_sandbox import pki
from magflow_sandbox.clusters import components
from magflow_sandbox.clusters.api import Api
from magflow_sandbox.home import write_private
from magflow_sandbox.openstack.site import LOOPBACK, PORTS, Site

ETCD, APISERVER = "management/etcd", "management/kube-apiserver"
CLIENT_PORT = 26379
"""Of etcd, inside the namespace only; its peer port is the next one."""

KINDS = {
    "cluster-api": (
        "config/crd/bases/cluster.x-k8s.io_clusters.yaml",
        "config/crd/bases/cluster.x-k8s.io_machines.yaml",
        "config/crd/bases/cluster.x-k8s.io_machinedeployments.yaml",
        "controlplane/kubeadm/config/crd/bases/controlplane.cluster.x-k8s.io_kubeadmcontrolplanes.yaml",
        "bootstrap/kubeadm/config/crd/bases/bootstrap.cluster.x-k8s.io_kubeadmconfigtemplates.yaml",
    ),
    "cluster-api-provider-openstack": (
        "config/crd/bases/infrastructure.cluster.x-k8s.io_openstackclusters.yaml",
        "config/crd/bases/infrastructure.cluster.x-k8s.io_openstackmachines.yaml",
        "config/crd/bases/infrastructure.cluster.x-k8s.io_openstackmachinetemplates.yaml",
    ),
}
"""Tool of the toolchain -> files of its module: the kinds that the chart makes and the driver and controller read."""

ADDONS = Path(__file__).parent / "crds" / "addons.yaml"


def write_files(site: Site) -> None:
    """Token file, service account key and the kubeconfig that Magnum, Helm and the controller use (all 0600)."""
    folder = site.data / "management"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = site.passwords["management"]
    write_private(folder / "tokens.csv", f'{token},sandbox,sandbox,"system:masters"\n')
    if not (folder / "service-account.key").exists():
        write_private(folder / "service-account.key", pki.rsa_key())
    name = "management"
    authority = base64.b64encode(site.ca.read_bytes()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": site.url(name), "certificate-authority-data": authority}}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    write_private(site.management, yaml.safe_dump(config))


def etcd(program: Path, site: Site) -> list[str]:
    """Command of etcd."""
    return components.etcd(program, site.data / "management" / "etcd", port=CLIENT_PORT)


def apiserver(program: Path, site: Site) -> list[str]:
    """Command of the API server."""
    folder = site.data / "management"
    key = folder / "service-account.key"
    return [
        str(program),
        f"--etcd-servers=http://{LOOPBACK}:{CLIENT_PORT}",
        f"--bind-address={LOOPBACK}",
        f"--advertise-address={LOOPBACK}",
        f"--secure-port={PORTS['management']}",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--tls-cert-file={site.certificate}",
        f"--tls-private-key-file={site.key}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        f"--service-account-issuer={site.url('management')}",
        "--authorization-mode=RBAC",
        # nothing here runs pods: neither priorities nor service accounts are looked after
        "--disable-admission-plugins=ServiceAccount",
        "--profiling=false",
        f"--cert-dir={folder / 'certificates'}",
    ]


def definitions(modules: dict[str, Path]) -> Iterator[dict[str, Any]]:
    """The kinds, each with the version that is stored only: older ones would need the upstream conversion webhooks.

    Args:
        modules: folder of each module named in `KINDS`.
    """
    for tool, names in KINDS.items():
        for name in names:
            yield _stored_only(yaml.safe_load((modules[tool] / name).read_text()))
    yield from yaml.safe_load_all(ADDONS.read_text())


def _stored_only(definition: dict[str, Any]) -> dict[str, Any]:
    spec = definition["spec"]
    spec["versions"] = [version for version in spec["versions"] if version["storage"]]
    spec.pop("conversion", None)
    definition.pop("status", None)
    return definition


def install_kinds(api: Api, modules: dict[str, Path], marker: Path) -> None:
    """Apply the kinds; the marker (digest of the files) spares it, when the API server still has them all."""
    base = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    files = [modules[tool] / name for tool, names in KINDS.items() for name in names]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in [*files, ADDONS])).hexdigest()
    if marker.exists() and marker.read_text() == digest:
        wanted = {file.stem.split("_")[1] for file in files}
        if wanted <= {item["spec"]["names"]["plural"] for item in api.all(base)}:
            return
    for definition in definitions(modules):
        path = f"{base}/{definition['metadata']['name']}"
        api.patch(path, definition, "apply", fieldManager="magflow-sandbox", force="true")
    write_private(marker, digest)


def kinds_served(api: Api) -> bool:
    """Whether the API server serves every group that the driver asks for."""
    groups = {group["name"] for group in (api.get("/apis") or {}).get("groups", [])}
    return {
        "cluster.x-k8s.io",
        "controlplane.cluster.x-k8s.io",
        "bootstrap.cluster.x-k8s.io",
        "infrastructure.cluster.x-k8s.io",
        "addons.stackhpc.com",
    } <= groups
