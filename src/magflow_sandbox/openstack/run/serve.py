"""Serve a WSGI application over HTTPS: `serve.py PORT CERTIFICATE KEY MODULE:ATTRIBUTE [argument...]`.

Runs in the Python environment of the OpenStack services, so it imports nothing of this package; the services' own
arguments are what the application finds in `sys.argv[1:]`. Listens on 127.0.0.1 only.
"""

# its folder is on the path where it runs, which the checks do not see
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from cheroot.server import HTTPConnection
from cheroot.ssl.builtin import BuiltinSSLAdapter
from cheroot.wsgi import Server
from faults import HERE, around

THREADS = 6
FACTORIES = ("init", "build", "make")
HANDSHAKE_SECONDS = 5
IDLE_SECONDS = 30
SHUTDOWN_SECONDS = 2


class LateAdapter(BuiltinSSLAdapter):
    """Leaves the handshake to the worker: in the accepting thread, one silent client would hold up all others."""

    def wrap(self, sock: socket.socket) -> tuple[ssl.SSLSocket, dict[str, str]]:
        """The socket before its handshake, and what the application learns of it."""
        wrapped = self.context.wrap_socket(sock, do_handshake_on_connect=False, server_side=True)
        return wrapped, {"wsgi.url_scheme": "https", "HTTPS": "on"}


class Connection(HTTPConnection):
    """A connection that begins with its handshake."""

    greeted = False
    aborted = False

    def communicate(self) -> bool:
        """Serve a request; whether the connection stays open."""
        if not self.greeted:
            try:
                self.socket.settimeout(HANDSHAKE_SECONDS)
                self.socket.do_handshake()
                self.socket.settimeout(self.server.timeout)
            except OSError as error:
                # a wrong authority at the other end, a probe, plain HTTP: the client's affair
                print(f"no handshake with {self.remote_addr}:{self.remote_port}: {error}", file=sys.stderr)
                return False
            self.greeted = True
        HERE.abort = False
        try:
            stays = bool(super().communicate())  # type: ignore[no-untyped-call]  # cheroot's stub has no types
            # Glance closes the body of an upload, and with a chunked one the connection's reader
            return stays and not self.rfile.closed
        finally:
            self.aborted = HERE.abort

    def close(self) -> None:
        """Close it, with a reset when a fault wants one."""
        if self.aborted:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            os.close(self.socket.detach())
        with contextlib.suppress(OSError):
            super().close()


def serve(application: Callable[..., Any], port: int, certificate: str, key: str, name: str) -> None:
    """Serve until SIGTERM or SIGINT; says `ready` on stderr when the socket listens."""
    faulty = around(application, name)
    server = Server(("127.0.0.1", port), faulty, numthreads=THREADS, server_name=name, request_queue_size=128)
    server.timeout, server.shutdown_timeout = IDLE_SECONDS, SHUTDOWN_SECONDS
    server.ssl_adapter = LateAdapter(certificate, key)
    server.ConnectionClass = Connection
    server.prepare()
    # the signal handler must not join the threads it interrupts
    halt = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: halt.set())
    threading.Thread(target=server.serve, daemon=True).start()
    print(f"{name} ready on {port} after {time.monotonic() - STARTED:.1f} s", file=sys.stderr, flush=True)
    halt.wait()
    server.stop()
    sys.stderr.flush()
    # services leave non-daemon threads behind that never end
    os._exit(0)


STARTED = time.monotonic()


def main() -> None:
    """Command line."""
    port, certificate, key, target, *arguments = sys.argv[1:]
    module, attribute = target.split(":")
    sys.argv = [module, *arguments]
    application = getattr(importlib.import_module(module), attribute)
    if attribute.startswith(FACTORIES):
        application = application()
    serve(application, int(port), certificate, key, module.split(".")[0])


if __name__ == "__main__":
    main()
