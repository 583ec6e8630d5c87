"""What a kubelet would put into a pod: its service account's token, a kubeconfig that uses it, mounted secrets."""

from __future__ import annotations

import base64
import time
from pathlib import Path, PurePosixPath

import yaml

from magflow_sandbox.clusters import pods
from magflow_sandbox.clusters.api import Api, Object
from magflow_sandbox.home import write_private

TOKEN_LIFE = 3607  # seconds, as a kubelet asks for
TMP = "/tmp"  # noqa: S108 - where the program sees the folder: a private mount


class PodFiles:
    """The files of one pod, in a folder that its program sees as /tmp.

    Args:
        api: administrator's client.
        folder: of the pod.
        server: address of the API server as the pod sees it.
        authority: file with the cluster's CA certificate.
    """

    def __init__(self, api: Api, folder: Path, server: str, authority: Path) -> None:
        self.api, self.folder, self.server, self.authority = api, folder, server, authority
        self._token_until = self._secrets_until = 0.0

    def write(self, pod: Object, container: Object, *, settled: bool) -> str | None:
        """Write what is new; cheap when called often.

        Args:
            pod: the pod.
            container: the one that mounts.
            settled: whether it is Ready; secrets are then looked up every 10 s only, before that twice a second.

        Returns:
            The name of a mounted secret that is not there, if any: the pod cannot start without it.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        now = time.monotonic()
        if now > self._secrets_until:
            for secret, mounted in pods.mounted_secrets(pod, container):
                found = self.api.get(f"/api/v1/namespaces/{pod['metadata']['namespace']}/secrets/{secret}")
                if found is None:
                    return secret
                target = below_tmp(self.folder, mounted)
                for key, value in (found.get("data") or {}).items() if target else ():
                    _write_changed(target / key, base64.b64decode(value))
            self._secrets_until = now + (10 if settled else 0.5)
        if now > self._token_until:
            self._write_token(pod)
            self._token_until = now + TOKEN_LIFE * 0.7
        return None

    def _write_token(self, pod: Object) -> None:
        meta = pod["metadata"]
        account = pod["spec"].get("serviceAccountName") or "default"
        bound = {"kind": "Pod", "apiVersion": "v1", "name": meta["name"], "uid": meta["uid"]}
        asked = {"spec": {"expirationSeconds": TOKEN_LIFE, "boundObjectRef": bound}}
        path = f"/api/v1/namespaces/{meta['namespace']}/serviceaccounts/{account}/token"
        write_private(self.folder / "token", self.api.create(path, asked)["status"]["token"])
        authority = base64.b64encode(self.authority.read_bytes()).decode()
        cluster = {"server": self.server, "certificate-authority-data": authority}
        context = {"cluster": "here", "user": account, "namespace": meta["namespace"]}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": account, "user": {"tokenFile": f"{TMP}/token"}}],
            "contexts": [{"name": "here", "context": context}],
            "current-context": "here",
        }
        _write_changed(self.folder / "kubeconfig", yaml.safe_dump(config).encode())


def below_tmp(folder: Path, mounted: str) -> Path | None:
    """Where a path below /tmp lies outside of the pod; None for another path (only /tmp is private)."""
    path = PurePosixPath(mounted)
    if not path.is_relative_to(TMP) or ".." in path.parts:
        return None
    return folder / path.relative_to(TMP)


def _write_changed(path: Path, data: bytes) -> None:
    if not path.exists() or path.read_bytes() != data:
        write_private(path, data)
