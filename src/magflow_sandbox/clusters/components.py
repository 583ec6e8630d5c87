"""Command lines of the control plane's programs. Pure: what goes in is all that they depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

# Off, because nothing here needs them and each costs memory: cloud and node address management, autoscaling, volumes
# that are attached to machines, certificates of kubelets.
CONTROLLERS_OFF = (
    "certificatesigningrequest-approving-controller",
    "certificatesigningrequest-cleaner-controller",
    "cloud-node-lifecycle-controller",
    "device-taint-eviction-controller",
    "horizontal-pod-autoscaler-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "node-ipam-controller",
    "node-route-controller",
    "persistentvolume-attach-detach-controller",
    "persistentvolume-expander-controller",
    "replicationcontroller-controller",
    "service-cidr-controller",
    "service-lb-controller",
    "ttl-controller",
)


def memory(megabytes: int) -> dict[str, str]:
    """Environment that keeps a Go program near an amount of memory (a soft limit: it works harder, never fails)."""
    return {"GOMEMLIMIT": f"{megabytes}MiB", "GOGC": "100"}


def etcd(program: Path, data: Path, *, port: int = 2379, address: str = "127.0.0.1") -> list[str]:
    """Etcd for one API server in the same namespace: plain HTTP on loopback, no fsync (a sandbox is rebuilt)."""
    client, peer = f"http://{address}:{port}", f"http://{address}:{port + 1}"
    return [
        str(program),
        "--name=sandbox",
        f"--data-dir={data}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=sandbox={peer}",
        "--unsafe-no-fsync",
        "--snapshot-count=5000",
        "--auto-compaction-mode=periodic",
        "--auto-compaction-retention=10m",
        "--log-level=warn",
    ]


def apiserver(
    program: Path,
    pki: Path,
    *,
    address: str,
    port: int,
    services: str,
    etcd_port: int = 2379,
    more: Sequence[str] = (),
) -> list[str]:
    """The API server.

    Args:
        program: the binary.
        pki: folder with ca.crt, apiserver.crt/.key, kubelet-client.crt/.key, front-proxy-ca.crt,
            front-proxy-client.crt/.key, sa.pub and sa.key.
        address: to bind and to advertise; never all addresses.
        port: to listen on.
        services: range of service addresses.
        etcd_port: of etcd on loopback.
        more: further flags.
    """
    return [
        str(program),
        f"--bind-address={address}",
        f"--advertise-address={address}",
        f"--secure-port={port}",
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        f"--client-ca-file={pki}/ca.crt",
        f"--tls-cert-file={pki}/apiserver.crt",
        f"--tls-private-key-file={pki}/apiserver.key",
        f"--kubelet-client-certificate={pki}/kubelet-client.crt",
        f"--kubelet-client-key={pki}/kubelet-client.key",
        "--kubelet-preferred-address-types=InternalIP,Hostname",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={pki}/sa.pub",
        f"--service-account-signing-key-file={pki}/sa.key",
        f"--service-cluster-ip-range={services}",
        f"--requestheader-client-ca-file={pki}/front-proxy-ca.crt",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-username-headers=X-Remote-User",
        f"--proxy-client-cert-file={pki}/front-proxy-client.crt",
        f"--proxy-client-key-file={pki}/front-proxy-client.key",
        "--enable-aggregator-routing=true",  # webhooks are reached at pod addresses: there is no kube-proxy
        "--allow-privileged=true",
        "--profiling=false",
        "--enable-priority-and-fairness=false",
        *more,
    ]


def _loop(program: Path, pki: Path, kubeconfig: Path, port: int) -> list[str]:
    """What the two programs have in common that watch the API server and act: alone, on loopback, with room to ask."""
    return [
        str(program),
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        f"--client-ca-file={pki}/ca.crt",
        f"--requestheader-client-ca-file={pki}/front-proxy-ca.crt",
        f"--tls-cert-file={pki}/loopback.crt",
        f"--tls-private-key-file={pki}/loopback.key",
        "--leader-elect=false",
        "--kube-api-qps=100",
        "--kube-api-burst=200",
        "--profiling=false",
    ]


def controller_manager(program: Path, pki: Path, kubeconfig: Path, *, port: int = 10257) -> list[str]:
    """The controller manager, with the controllers that a cluster of fake nodes needs."""
    return [
        *_loop(program, pki, kubeconfig, port),
        f"--cluster-signing-cert-file={pki}/ca.crt",
        f"--cluster-signing-key-file={pki}/ca.key",
        f"--root-ca-file={pki}/ca.crt",
        f"--service-account-private-key-file={pki}/sa.key",
        "--use-service-account-credentials=true",
        "--controllers=" + ",".join(["*", *(f"-{name}" for name in CONTROLLERS_OFF)]),
        "--allocate-node-cidrs=false",
    ]


def scheduler(program: Path, pki: Path, kubeconfig: Path, *, port: int = 10259) -> list[str]:
    """The scheduler."""
    return _loop(program, pki, kubeconfig, port)


def kwok(program: Path, kubeconfig: Path, stages: Path, *, pods: str, port: int = 10247) -> list[str]:
    """Kwok: the life of fake nodes and their pods."""
    return [
        str(program),
        f"--kubeconfig={kubeconfig}",
        f"--config={stages}",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        "--node-lease-duration-seconds=40",
        f"--cidr={pods}",
        f"--server-address=127.0.0.1:{port}",
    ]


def environment(*parts: Mapping[str, str]) -> dict[str, str]:
    """The environment of a control plane program: nothing of the caller's (proxies, CA bundles) but a PATH."""
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent"}
    for part in parts:
        env.update(part)
    return env
