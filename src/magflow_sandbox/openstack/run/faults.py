"""Plays the faults that are asked for in front of a service (`magflow sandbox fault set api ...`).

Runs in the Python environment of the services and reads the file that faults/store.py writes; without faults a request
costs one look at that file's time. Every answer is real HTTP over the service's own TLS.
"""

from __future__ import annotations

import errno
import fnmatch
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

HOME = os.environ.get("MAGFLOW_SANDBOX_HOME")
BALANCER = {502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Time-out"}
PHRASES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    409: "Conflict",
    413: "Request Entity Too Large",
    429: "Too Many Requests",
    500: "Internal Server Error",
    **BALANCER,
}
HERE = threading.local()
"""What the thread that serves a request knows of its connection; `abort` is set to end it by a reset."""

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Fault = dict[str, Any]


class Faults:
    """The faults of a home, read anew when the file has changed.

    Args:
        home: folder of the sandbox; None: there are never any.
    """

    def __init__(self, home: str | None = HOME) -> None:
        self._path = Path(home) / "faults.json" if home else None
        self._lock = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._faults: list[Fault] = []
        self._marks = Path()

    def of(self, kind: str) -> Iterator[Fault]:
        """Options of each fault of a kind, with its `id`."""
        self._read()
        for item in self._faults:
            if item["kind"] == kind:
                yield {**item["options"], "id": item["id"]}

    def take(self, fault: Fault) -> bool:
        """Count that a fault is played; False when it was played often enough."""
        path = self._marks / fault["id"] / "used"
        with self._lock:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with path.open("ab") as file:
                if 0 < fault.get("count", 0) <= file.tell():
                    return False
                file.write(b".")
        return True

    def _read(self) -> None:
        if self._path is None:
            return
        try:
            found = self._path.stat()
        except OSError:
            self._seen, self._faults = None, []
            return
        stamp = (found.st_mtime_ns, found.st_ino)
        if stamp == self._seen:
            return
        try:
            content = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return
        self._seen, self._faults, self._marks = stamp, content["faults"], Path(content["marks"])


def around(application: Application, service: str, faults: Faults | None = None) -> Application:
    """The application of a service, with the faults `api` that are asked for it.

    Args:
        service: its name, as `--service` has it.
    """
    known = faults or Faults()

    def faulty(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        fault = next((each for each in known.of("api") if _meant(each, service, environ) and known.take(each)), None)
        if fault is None:
            return application(environ, start_response)
        answer = fault["answer"]
        if answer == "slow":
            time.sleep(fault["seconds"])
            return application(environ, start_response)
        if answer in {"reset", "lost"}:
            if answer == "lost":
                for _ in application(environ, lambda *_: lambda _: None):
                    pass
            HERE.abort = True
            raise ConnectionResetError(errno.ECONNRESET, "as the fault wants it")
        _drain(environ)
        if answer == "ignored":
            start_response("204 No Content", [("Content-Length", "0")])
            return []
        return _refuse(int(answer), start_response)

    return faulty


def _meant(fault: Fault, service: str, environ: dict[str, Any]) -> bool:
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return (
        fault["service"] in {"*", service}
        and fault["method"] in {"*", environ["REQUEST_METHOD"]}
        and fnmatch.fnmatchcase(path, fault["path"])
    )


def _drain(environ: dict[str, Any]) -> None:
    """Read the body: what is left of it would be taken for the connection's next request."""
    environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))


def _refuse(code: int, start_response: Callable[..., Any]) -> list[bytes]:
    """What a load balancer says of a service that is away, or the service's own JSON."""
    phrase = PHRASES.get(code, "Error")
    if code in BALANCER:
        text = f"<html><body><h1>{code} {phrase}</h1>\nNo server is available to handle this request.\n</body></html>\n"
        kind = "text/html"
    else:
        message = "An unexpected error prevented the server from fulfilling your request." if code == 500 else phrase
        text = json.dumps({"error": {"code": code, "title": phrase, "message": message}})
        kind = "application/json"
    body = text.encode()
    start_response(f"{code} {phrase}", [("Content-Type", kind), ("Content-Length", str(len(body)))])
    return [body]
