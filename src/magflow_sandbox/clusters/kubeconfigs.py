"""Kubeconfig files."""

from __future__ import annotations

import base64
from typing import Any

import yaml

from magflow_sandbox.pki import Pair


def text(server: str, authority: str, pair: Pair, *, cluster: str = "sandbox", user: str = "admin") -> str:
    """A kubeconfig with everything inside.

    Args:
        server: address of the API server.
        authority: the CA's certificate, PEM.
        pair: the client certificate and its key.
        cluster: name of the cluster and of the context.
        user: name of the user.
    """
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": cluster, "cluster": {"server": server, "certificate-authority-data": _encoded(authority)}}
        ],
        "users": [
            {
                "name": user,
                "user": {"client-certificate-data": _encoded(pair.cert), "client-key-data": _encoded(pair.key)},
            }
        ],
        "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": user}}],
        "current-context": cluster,
    }
    return yaml.safe_dump(document, sort_keys=False)


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
