"""Relays from ports here into a network namespace: the doors of the sandbox.

Run as ``python -m magflow_sandbox.door --into PID [--from PID] --map PORT[=ADDRESS:PORT] ...``: the listening sockets
are made first (on this side, or in the namespace of ``--from``), then the process moves into the namespace of
``--into`` and connects from there. A socket stays in the namespace that it was made in.

Usage::

    supervisor.start(door.program("door/openstack", into=net, maps=[26500, 26292]))   # 127.0.0.1 on both sides
    supervisor.start(door.program("door/cluster-a", into=cluster_net, maps=["26600=100.64.0.1:26600"]))
    supervisor.start(door.program("door/os-to-a", into=cluster_net, maps=[...], listen_in=openstack_net))
    door.open("127.0.0.1", 26500)                # whether something listens there (for Supervisor.wait)

A client whose target does not listen gets a reset at once, so a door never looks like a service that hangs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import os
import signal
import socket
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # the relay itself stays small: standard library only
    from magflow_sandbox.namespaces import Netns
    from magflow_sandbox.supervisor import Program

Target = tuple[str, int]
HIGH_WATER = 1 << 20  # bytes buffered for a slow reader before the other side waits


def program(
    name: str,
    *,
    into: Netns,
    maps: Iterable[int | str],
    listen_in: Netns | None = None,
    listen: str = "127.0.0.1",
) -> Program:
    """The door as a supervised program.

    Args:
        name: of the program.
        into: the namespace in which the targets listen; it must be up.
        maps: ``PORT`` (target 127.0.0.1:PORT) or ``"PORT=ADDRESS:PORT"``.
        listen_in: the namespace to listen in, the machine's own when not given.
        listen: the address to listen on.
    """
    from magflow_sandbox import namespaces
    from magflow_sandbox.supervisor import Program, python

    argv = [*python("magflow_sandbox.door"), "--into", str(into.pid), "--listen", listen]
    if not namespaces.as_root():
        argv.append("--user")
    if listen_in is not None:
        argv += ["--from", str(listen_in.pid)]
    for entry in maps:
        parse_map(str(entry))
        argv += ["--map", str(entry)]
    after = (into.holder, *([listen_in.holder] if listen_in else []))
    return Program(name, argv, {"PATH": os.defpath}, after=after)


def open(address: str, port: int) -> bool:
    """Whether something listens on a port of this side."""
    with contextlib.closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex((address, port)) == 0


def parse_map(text: str) -> tuple[int, Target]:
    """Parse ``PORT`` or ``PORT=ADDRESS:PORT``.

    Raises:
        ValueError: it is neither.
    """
    left, _, right = text.partition("=")
    port = _port(left)
    if not right:
        return port, ("127.0.0.1", port)
    address, colon, target = right.rpartition(":")
    if not colon or not address:
        raise ValueError(f"not PORT=ADDRESS:PORT: {text!r}")
    return port, (address, _port(target))


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise ValueError(f"not a port: {text!r}")
    return port


class _Side(asyncio.Protocol):
    """One half of a relayed connection: what arrives goes to its peer."""

    def __init__(self, peer: _Side | None = None) -> None:
        self.peer = peer
        self.transport: asyncio.Transport | None = None
        self.early: list[bytes] = []  # came before the peer was connected
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=HIGH_WATER)

    def data_received(self, data: bytes) -> None:
        if self.peer and self.peer.transport:
            self.peer.transport.write(data)
        else:
            self.early.append(data)

    def eof_received(self) -> bool:
        self.ended = True
        if self.peer and self.peer.transport and self.peer.transport.can_write_eof():
            with contextlib.suppress(OSError):
                self.peer.transport.write_eof()
        return True  # the other direction goes on

    def connection_lost(self, error: Exception | None) -> None:
        if self.peer and self.peer.transport:
            _reset(self.peer.transport) if error else self.peer.transport.close()

    def pause_writing(self) -> None:
        if self.peer and self.peer.transport and not self.peer.transport.is_closing():
            self.peer.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.peer and self.peer.transport and not self.peer.transport.is_closing():
            self.peer.transport.resume_reading()


class _Client(_Side):
    """The accepted half.

    Reading waits until the target has answered; some versions of asyncio read the first piece all the same.
    """

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target
        self.connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        here = cast(asyncio.Transport, transport)
        here.pause_reading()
        self.connecting = asyncio.get_running_loop().create_task(self._connect(here))

    async def _connect(self, here: asyncio.Transport) -> None:
        try:
            there, peer = await asyncio.get_running_loop().create_connection(lambda: _Side(self), *self.target)
        except OSError:
            _reset(here)
            return
        self.peer = peer
        if here.is_closing():
            there.abort()
            return
        there.writelines(self.early)
        self.early.clear()
        if self.ended:
            there.write_eof()
        here.resume_reading()


def _reset(transport: asyncio.Transport) -> None:
    """Close with RST, as a port without a listener would answer."""
    raw = transport.get_extra_info("socket")
    with contextlib.suppress(OSError, AttributeError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    transport.abort()


async def serve(listeners: Iterable[tuple[socket.socket, Target]]) -> None:
    """Relay until SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for sent in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sent, stop.set)
    for listener, target in listeners:
        await loop.create_server(lambda target=target: _Client(target), sock=listener, backlog=256)  # type: ignore[misc]
    await stop.wait()


def move(pid: int, *kinds: str) -> None:
    """Move this (single-threaded) process into namespaces of another one (``user``, ``net``).

    Python has os.setns from 3.12 on; the floor here is 3.11.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for kind in kinds:
        descriptor = os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            if libc.setns(descriptor, 0):
                code = ctypes.get_errno()
                raise OSError(code, f"setns {kind} of {pid}: {os.strerror(code)}")
        finally:
            os.close(descriptor)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m magflow_sandbox.door", description="relay ports into a namespace")
    parser.add_argument("--into", type=int, required=True, help="process whose network namespace the targets are in")
    parser.add_argument("--from", dest="origin", type=int, help="process whose namespace to listen in (default: here)")
    parser.add_argument("--user", action="store_true", help="the namespaces lie below a user namespace")
    parser.add_argument("--listen", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--map", action="append", required=True, dest="maps", help="PORT or PORT=ADDRESS:PORT")
    given = parser.parse_args(argv)
    user = ("user",) if given.user else ()
    if given.origin is not None:
        move(given.origin, *user, "net")
        user = ()
    listeners = []
    for port, target in map(parse_map, given.maps):
        try:
            listener = socket.create_server((given.listen, port), backlog=256)
        except OSError as error:
            print(f"cannot listen on {given.listen}:{port}: {error.strerror}", file=sys.stderr)
            return 1
        listeners.append((listener, target))
    move(given.into, *user, "net")
    asyncio.run(serve(listeners))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
