"""Whether a door answers, told by HTTPS with our own authority."""

from __future__ import annotations

import http.client
import ssl
import urllib.parse
from pathlib import Path


def answers(url: str, ca: Path, timeout: float = 5) -> bool:
    """Whether the server answers anything below 500 (401 and 403 of an API server included)."""
    parts = urllib.parse.urlsplit(url)
    try:
        context = ssl.create_default_context(cafile=str(ca))
        connection = http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=timeout, context=context)
        connection.request("GET", parts.path or "/")
        status = connection.getresponse().status
        connection.close()
    except (OSError, http.client.HTTPException):
        return False
    return status < 500
