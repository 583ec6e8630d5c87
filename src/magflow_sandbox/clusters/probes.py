"""Readiness of a real program: what a kubelet's probe would ask, and whether its webhooks are served."""

from __future__ import annotations

import http.client
import ssl

PATIENCE = 2.0  # seconds for one answer


def answers(address: str, probe: tuple[int, str] | None, hooks: tuple[int, tuple[str, ...]] | None) -> bool:
    """Whether a program is ready now.

    Args:
        address: of its pod.
        probe: port and path of its HTTP readiness probe, if it has one.
        hooks: port and paths that must be served over HTTPS, if any; every answer but 404 counts.
    """
    if probe is not None:
        code = _status(http.client.HTTPConnection(address, probe[0], timeout=PATIENCE), probe[1])
        if not 200 <= code < 400:
            return False
    for path in hooks[1] if hooks else ():
        context = ssl._create_unverified_context()  # noqa: S323 - a probe, as a kubelet's, does not verify
        connection = http.client.HTTPSConnection(address, hooks[0] if hooks else 0, context=context, timeout=PATIENCE)
        if _status(connection, path) in (0, 404):
            return False
    return True


def _status(connection: http.client.HTTPConnection, path: str) -> int:
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()
