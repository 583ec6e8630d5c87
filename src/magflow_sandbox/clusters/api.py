"""A small client of the Kubernetes API: JSON over HTTPS with a client certificate or a token, standard library only.

Usage::

    api = Api.from_kubeconfig(path)
    api.get("/api/v1/nodes/a")                       # None when it is not there
    api.all("/api/v1/pods", labelSelector="a=b")    # all items, page by page
    api.create("/api/v1/nodes", node); api.delete("/api/v1/nodes/a")
    api.patch("/api/v1/nodes/a/status", {"status": ...})          # strategic merge; kind="merge" and "apply" too
    for event, thing in api.watch("/api/v1/pods"): ...            # list, then changes, for ever

It is used inside the sandbox only, where a process should need 30 MB, not the 100 MB of the full client.
"""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from magflow_sandbox.errors import SandboxError

Object = dict[str, Any]
PATCHES = {
    "strategic": "application/strategic-merge-patch+json",
    "merge": "application/merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class ApiError(SandboxError):
    """The API server refused a request; ``code`` is the HTTP status, 0 when there was no answer."""

    def __init__(self, code: int, what: str) -> None:
        super().__init__(what)
        self.code = code


class Api:
    """A connection per thread to one API server."""

    def __init__(self, server: str, context: ssl.SSLContext, token: str | None = None, timeout: float = 15) -> None:
        address = urllib.parse.urlsplit(server)
        if not address.hostname:
            raise SandboxError(f"not the address of an API server: {server!r}")
        self.host, self.port = address.hostname, address.port or 443
        self.context, self.token, self.timeout = context, token, timeout
        self._local = threading.local()

    @classmethod
    def from_kubeconfig(cls, path: Path) -> Api:
        """The client of a kubeconfig's first cluster and user (certificate data or token).

        Raises:
            SandboxError: it does not read.
        """
        try:
            config = yaml.safe_load(path.read_text())
            cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
            authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        except (OSError, KeyError, IndexError, TypeError, ValueError, yaml.YAMLError) as error:
            raise SandboxError(f"not a kubeconfig: {error}", where=path) from error
        context = ssl.create_default_context(cadata=authority)
        if "client-certificate-data" in user:
            with tempfile.NamedTemporaryFile(prefix="magflow-") as file:  # ssl reads key pairs from files only
                for part in ("client-certificate-data", "client-key-data"):
                    file.write(base64.b64decode(user[part]))
                file.flush()
                context.load_cert_chain(file.name)
        return cls(cluster["server"], context, user.get("token"))

    # -- objects

    def get(self, path: str) -> Object | None:
        """An object (or any JSON answer), None when the API says 404."""
        try:
            return self.request("GET", path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def all(self, path: str, **query: str) -> list[Object]:
        """All items of a collection."""
        return self._list(path, query)[0]

    def create(self, path: str, thing: Object) -> Object:
        """POST an object."""
        return self.request("POST", path, thing)

    def patch(self, path: str, change: Object, kind: str = "strategic", **query: str) -> Object:
        """PATCH an object: ``strategic``, ``merge`` or ``apply`` (server-side apply; give fieldManager)."""
        return self.request("PATCH", path, change, query, PATCHES[kind])

    def patch_if_there(self, path: str, change: Object) -> None:
        """Merge-PATCH an object that may have gone meanwhile."""
        try:
            self.patch(path, change, "merge")
        except ApiError as error:
            if error.code != 404:
                raise

    def delete(self, path: str, **options: Any) -> bool:
        """DELETE an object with DeleteOptions; False when it is not there."""
        try:
            self.request("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", **options})
        except ApiError as error:
            if error.code in (404, 409):  # 409: another one with this name (its uid differs) is there now
                return False
            raise
        return True

    def ok(self, path: str = "/readyz") -> bool:
        """Whether a path answers 2xx now."""
        try:
            self.request("GET", path, timeout=3)
        except ApiError:
            return False
        return True

    def watch(self, path: str, stop: threading.Event | None = None, **query: str) -> Iterator[tuple[str, Object]]:
        """Events of a collection for ever: ``("LIST", {"items": [...]})`` at the start and after a gap, then changes.

        A lost connection is made again after a second; the consumer sees another LIST.
        """
        while stop is None or not stop.is_set():
            try:
                items, version = self._list(path, query)
                yield "LIST", {"items": items}
                yield from self._changes(path, {**query, "resourceVersion": version}, stop)
            except (ApiError, OSError, http.client.HTTPException, json.JSONDecodeError):
                time.sleep(1)

    # -- inside

    def request(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        query: Mapping[str, str] | None = None,
        content: str = "application/json",
        timeout: float | None = None,
    ) -> Object:
        """One request; a connection that the server had closed meanwhile is made anew once.

        Raises:
            ApiError: refused, or no answer.
        """
        target = f"{path}?{urllib.parse.urlencode(query)}" if query else path
        data = json.dumps(body).encode() if body is not None else None
        headers = self._headers({"Content-Type": content} if data else {})
        for attempt in (1, 2):
            connection, kept = self._connection(timeout)
            try:
                connection.request(method, target, data, headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self._local.connection = None
                connection.close()
                if attempt == 2 or not kept:
                    raise ApiError(0, f"the API server at {self.host}:{self.port} does not answer: {error}") from error
        if response.status >= 300:
            raise ApiError(response.status, _message(text, f"{method} {path}: HTTP {response.status}"))
        try:
            answer = json.loads(text)
        except json.JSONDecodeError:
            return {"text": text.decode(errors="replace")}
        return answer if isinstance(answer, dict) else {"items": answer}

    def _connection(self, timeout: float | None) -> tuple[http.client.HTTPSConnection, bool]:
        kept: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if kept is not None:
            if kept.sock is not None:
                kept.sock.settimeout(timeout or self.timeout)
            return kept, True
        made = http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=timeout or self.timeout)
        self._local.connection = made
        return made, False

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        bearer = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {"Accept": "application/json", **bearer, **more}

    def _list(self, path: str, query: Mapping[str, str]) -> tuple[list[Object], str]:
        items: list[Object] = []
        more: dict[str, str] = {}
        while True:
            page = self.request("GET", path, query={**query, "limit": "500", **more})
            items += page.get("items") or []
            if not page["metadata"].get("continue"):
                return items, page["metadata"]["resourceVersion"]
            more = {"continue": page["metadata"]["continue"]}

    def _changes(
        self, path: str, query: Mapping[str, str], stop: threading.Event | None
    ) -> Iterator[tuple[str, Object]]:
        connection = http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=330)
        target = f"{path}?{urllib.parse.urlencode({**query, 'watch': '1', 'timeoutSeconds': '300'})}"
        try:
            connection.request("GET", target, headers=self._headers({}))
            response = connection.getresponse()
            if response.status != 200:
                raise ApiError(response.status, f"watch of {path}: HTTP {response.status}")
            for line in response:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                yield event["type"], event["object"]
                if stop is not None and stop.is_set():
                    return
        finally:
            connection.close()


def _message(text: bytes, default: str) -> str:
    try:
        return str(json.loads(text)["message"])
    except (json.JSONDecodeError, KeyError, TypeError):
        return default
