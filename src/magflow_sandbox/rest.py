"""A Kubernetes API as plain REST: what the sandbox itself needs of it, quick to start and small in memory.

Usage::

    api = Api.from_kubeconfig(path)
    api.list("/api/v1/nodes")
    api.apply(obj, plural="configmaps")
    api.merge("/apis/.../clusters/a/status", {"status": {...}})
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import requests
import yaml

from magflow_sandbox.errors import SandboxError

Object = dict[str, Any]
TIMEOUT = 20.0


class ApiError(SandboxError):
    """The API refused something.

    Attributes:
        status: HTTP status code.
    """

    def __init__(self, what: str, status: int) -> None:
        super().__init__(what)
        self.status = status


class Api:
    """A connection to one API server; for one thread (each thread makes its own).

    Args:
        server: base address.
        ca: file with the server's authority.
        token: bearer token, or
        certificate: client certificate and key (files).
    """

    def __init__(
        self, server: str, ca: Path, token: str | None = None, certificate: tuple[Path, Path] | None = None
    ) -> None:
        self.server = server.rstrip("/")
        self._session = requests.Session()
        # REQUESTS_CA_BUNDLE of the caller would win over our own authority
        self._session.trust_env = False
        self._session.verify = str(ca)
        if token:
            self._session.headers["Authorization"] = f"Bearer {token}"
        if certificate:
            self._session.cert = (str(certificate[0]), str(certificate[1]))

    @classmethod
    def from_kubeconfig(cls, path: Path) -> Api:
        """Connect by a kubeconfig that names files (certificate-authority) and has one user with a token."""
        config = yaml.safe_load(path.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        return cls(cluster["server"], Path(cluster["certificate-authority"]), token=user["token"])

    def ready(self) -> bool:
        """Whether the API server says that it is ready."""
        try:
            return self._session.get(f"{self.server}/readyz", timeout=3).status_code == 200
        except requests.RequestException:
            return False

    def get(self, path: str) -> Object | None:
        """An object, or None when it is not there."""
        try:
            return self._call("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, path: str, selector: str = "") -> list[Object]:
        """All objects of a collection, optionally by label selector."""
        found: list[Object] = []
        params = {"labelSelector": selector, "limit": "500", "continue": ""}
        while True:
            answer = self._call("GET", path, params=params)
            found += answer["items"]
            params["continue"] = answer["metadata"].get("continue", "")
            if not params["continue"]:
                return found

    def apply(self, path: str, obj: Mapping[str, Any], manager: str = "magflow-sandbox") -> Object:
        """Server-side apply; the sandbox is the owner of what it applies, so conflicts are forced."""
        headers = {"Content-Type": "application/apply-patch+yaml"}
        return self._call(
            "PATCH", path, json.dumps(obj), headers=headers, params={"fieldManager": manager, "force": "true"}
        )

    def merge(self, path: str, change: Mapping[str, Any]) -> Object | None:
        """JSON merge patch; None when the object is gone."""
        try:
            return self._call(
                "PATCH", path, json.dumps(change), headers={"Content-Type": "application/merge-patch+json"}
            )
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def delete(self, path: str) -> None:
        """Delete an object; one that is gone is fine."""
        try:
            self._call("DELETE", path)
        except ApiError as error:
            if error.status != 404:
                raise

    def watch(self, path: str, seconds: int) -> Iterator[Object]:
        """Events of a collection from now on, for `seconds` at most.

        Raises:
            requests.RequestException: the connection broke.
        """
        version = self._call("GET", path, params={"limit": "1"})["metadata"]["resourceVersion"]
        params = {"watch": "true", "resourceVersion": version, "timeoutSeconds": str(seconds)}
        with self._session.get(self.server + path, params=params, stream=True, timeout=seconds + 10) as answer:
            for line in answer.iter_lines(chunk_size=1):
                if line:
                    yield json.loads(line)

    def _call(self, method: str, path: str, data: str | None = None, **options: Any) -> Object:
        try:
            answer = self._session.request(method, self.server + path, data=data, timeout=TIMEOUT, **options)
        except requests.RequestException as error:
            raise ApiError(f"{method} {self.server}{path}: {error}", status=0) from error
        if answer.status_code >= 300:
            raise ApiError(f"{method} {path}: {answer.status_code} {_message(answer)}", answer.status_code)
        return dict(answer.json())


def _message(answer: requests.Response) -> str:
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError):
        return answer.text[:300]
