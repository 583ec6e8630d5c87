"""Keystone and Magnum over HTTP that answer as a test tells them: for what no real one does when it is asked to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

GONE = None


class StubCloud:
    """What Magnum says of each path.

    `statuses[path]` holds what each GET answers, one after the other, the last for ever; GONE is 404. After a request
    that changes the thing, `after[method, path]` takes its place. `values[path]` holds what is beside the status.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.statuses: dict[str, list[Any]] = {}
        self.values: dict[str, dict[str, Any]] = {}
        self.after: dict[tuple[str, str], list[Any]] = {}
        self.requests: list[tuple[str, str]] = []
        self.slow = 0.0
        self.most_at_once = 0
        self._busy = 0
        self._lock = threading.Lock()

    def clouds_file(self, folder: Path) -> Path:
        """A clouds.yaml with the cloud `stub`."""
        auth = {"auth_url": f"{self.url}/v3", "username": "u", "password": "p", "project_name": "p"}
        auth |= {"user_domain_name": "Default", "project_domain_name": "Default"}
        file = folder / "clouds.yaml"
        file.write_text(json.dumps({"clouds": {"stub": {"auth": auth, "region_name": "RegionOne"}}}))
        return file

    def asked(self, method: str) -> list[str]:
        """The paths that were asked with a method, in order."""
        return [path for used, path in self.requests if used == method]

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Status and body of a request to Magnum."""
        with self._lock:
            self.requests.append((method, path))
            if method == "GET":
                return self._look(path)
            self._busy += 1
            self.most_at_once = max(self.most_at_once, self._busy)
        time.sleep(self.slow)
        with self._lock:
            self._busy -= 1
            if (method, path) in self.after:
                self.statuses[path] = self.after.pop((method, path))
            elif method == "DELETE" and self.statuses.get(path, [GONE])[0] is GONE:
                return 404, {}
            if method == "PATCH":
                self.values.setdefault(path, {}).update({item["path"].strip("/"): item["value"] for item in body})
            if path.endswith("/actions/resize"):
                resized = path.replace("actions/resize", f"nodegroups/{body['nodegroup']}")
                self.values.setdefault(resized, {})["node_count"] = body["node_count"]
                self.statuses[resized] = self.after.pop((method, resized), ["UPDATE_COMPLETE"])
                return 202, {"uuid": resized.split("/")[2]}
            if method == "POST":
                uuid = f"made-{body['name']}"
                made = f"{path}/{uuid}"
                self.statuses[made] = self.after.pop(("POST", made), ["CREATE_COMPLETE"])
                return 202, self._thing(made, self.statuses[made][0]) | body
            return 204 if method == "DELETE" else 202, self._thing(path, "")

    def _look(self, path: str) -> tuple[int, Any]:
        if path in {"", "/"}:
            return 200, {"id": "v1", "links": [], "status": "CURRENT", "version": "1.12"}
        kind = path.rpartition("/")[2]
        if kind in {"clusters", "nodegroups"}:
            depth = path.count("/") + 1
            inner = [item for item in self.statuses if item.startswith(path + "/") and item.count("/") == depth]
            return 200, {kind: [self._thing(item, self.statuses[item][0]) for item in inner]}
        statuses = self.statuses.get(path, [GONE])
        status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
        if isinstance(status, int):
            return status, {"errors": [{"status": status, "detail": "the stub was told to"}]}
        return (404, {"errors": []}) if status is GONE else (200, self._thing(path, status))

    def _thing(self, path: str, status: str) -> dict[str, Any]:
        parts = path.strip("/").split("/")
        base = {"uuid": parts[-1], "name": parts[-1], "status": status, "status_reason": "because", "labels": {}}
        if "nodegroups" in parts:
            base |= {"cluster_id": parts[1], "role": "worker", "flavor_id": "f", "node_count": 1, "min_node_count": 0}
            base |= {"project_id": "p", "image_id": "i", "is_default": False}
        return base | self.values.get(path, {})

    def token(self) -> dict[str, Any]:
        """Keystone's answer."""
        endpoints = [
            {"interface": name, "region": "RegionOne", "region_id": "RegionOne", "id": name}
            for name in ("public", "internal", "admin")
        ]
        services = {"identity": f"{self.url}/v3", "container-infra": f"{self.url}/v1"}
        catalog = [
            {"type": kind, "name": kind, "id": kind, "endpoints": [item | {"url": url} for item in endpoints]}
            for kind, url in services.items()
        ]
        domain = {"id": "default", "name": "Default"}
        return {
            "token": {
                "catalog": catalog,
                "expires_at": "2099-01-01T00:00:00.000000Z",
                "issued_at": "2020-01-01T00:00:00.000000Z",
                "methods": ["password"],
                "project": {"id": "p", "name": "p", "domain": domain},
                "roles": [{"id": "r", "name": "member"}],
                "user": {"id": "u", "name": "u", "domain": domain},
            }
        }


@contextmanager
def serve() -> Iterator[StubCloud]:
    """The cloud on a port of this machine, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"null")
            path = self.path.split("?")[0]
            headers = {}
            if path.startswith("/v3/auth/tokens"):
                status, data = 201, cloud.token()
                headers["X-Subject-Token"] = "t"
            elif path.startswith("/v1"):
                status, data = cloud.answer(self.command, path.removeprefix("/v1"), body)
            else:
                link = [{"rel": "self", "href": f"{cloud.url}/v3/"}]
                version = {"id": "v3.14", "status": "stable", "links": link}
                status, data = (
                    200,
                    {"version": version} if path.startswith("/v3") else {"versions": {"values": [version]}},
                )
            text = b"" if status == 204 else json.dumps(data).encode()
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(text)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    cloud = StubCloud(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield cloud
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
