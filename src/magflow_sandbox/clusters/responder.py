"""Answers on the addresses of fake pods: each declared TCP port listens while the pod is Ready, and only then.

A port speaks HTTP, with TLS when the client does (certificate from a secret with tls.crt and tls.key that the container
mounts, else one of its own making that nobody trusts). It says which pod it is; an AdmissionReview is allowed; a
ConversionReview gets the same objects with the wanted version. So an install order that is wrong fails here as it does
on a real cluster: connection refused before the pod is Ready, an unknown authority before its certificate is there.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
import ssl
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from magflow_sandbox.clusters import pods
from magflow_sandbox.clusters.api import Api, ApiError, Object

HANDSHAKE = 0x16  # first byte of a TLS record that opens a connection
RETRY = 1.0  # seconds until an address that was taken is tried again
LARGEST = 8 * 1024 * 1024  # bytes of a request's body


class Responder:
    """The listeners of one cluster. All methods belong to the event loop's thread.

    Args:
        api: to read the secrets that pods mount.
        leaves_alone: says of a pod whether something else answers for it.
    """

    def __init__(self, api: Api, leaves_alone: Callable[[Object], bool]) -> None:
        self.api = api
        self.leaves_alone = leaves_alone
        self.pods: dict[str, Object] = {}
        self.listeners: dict[str, dict[tuple[str, int], asyncio.Task[None]]] = {}
        self._contexts: dict[str, tuple[float, ssl.SSLContext]] = {}

    def replace(self, found: list[Object]) -> None:
        """Take over a whole list of pods."""
        present = {pods.key(pod): pod for pod in found}
        for gone in set(self.pods) - set(present):
            self.remove(self.pods[gone])
        for pod in found:
            self.update(pod)

    def update(self, pod: Object) -> None:
        """A pod is new or has changed."""
        name = pods.key(pod)
        self.pods[name] = pod
        wanted = self.wanted(pod)
        have = self.listeners.setdefault(name, {})
        for place in set(have) - wanted:
            have.pop(place).cancel()
        loop = asyncio.get_running_loop()
        for place in wanted - set(have):
            listener = _listen(*place)
            if listener is not None:
                have[place] = loop.create_task(self._accept(listener, name, place[1]))
            else:  # a pod that had the address before is just being forgotten, or two want the same port of a node
                loop.call_later(RETRY, self._again, name)

    def _again(self, name: str) -> None:
        if name in self.pods:
            self.update(self.pods[name])

    def remove(self, pod: Object) -> None:
        """A pod is gone."""
        name = pods.key(pod)
        self.pods.pop(name, None)
        for task in self.listeners.pop(name, {}).values():
            task.cancel()

    def wanted(self, pod: Object) -> set[tuple[str, int]]:
        """The places where this pod should answer now."""
        address = pods.address(pod)
        if address is None or not pods.ready(pod) or self.leaves_alone(pod):
            return set()
        return {(address, port) for port in pods.tcp_ports(pod)}

    async def _accept(self, listener: socket.socket, name: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        connections: set[asyncio.Task[None]] = set()
        try:
            while True:
                try:
                    connection, _ = await loop.sock_accept(listener)
                except OSError:  # the client is gone already, or too many files are open
                    await asyncio.sleep(0.1)
                    continue
                task = loop.create_task(self._serve(connection, name, port))
                connections.add(task)
                task.add_done_callback(connections.discard)
        finally:
            listener.close()
            for task in connections:
                task.cancel()

    async def _serve(self, connection: socket.socket, name: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        connection.setblocking(False)
        transport: asyncio.Transport | None = None
        try:
            context = None
            if await _first_byte(connection) == HANDSHAKE:
                context = await loop.run_in_executor(None, self._context, name, port)
            reader = asyncio.StreamReader()
            protocol = asyncio.StreamReaderProtocol(reader)
            transport, _ = await loop.connect_accepted_socket(lambda: protocol, connection, ssl=context)
            await self._talk(reader, asyncio.StreamWriter(transport, protocol, reader, loop), name, port)
            transport.close()
        except (OSError, ValueError, EOFError, asyncio.LimitOverrunError):
            pass  # the client went away or spoke something else
        finally:
            if transport is None:
                connection.close()
            elif not transport.is_closing():
                transport.abort()  # closes the socket after the loop has forgotten it; here that would be too early

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str, port: int) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, version = head[0].split(" ", 2)
            headers = {
                key.strip().lower(): value.strip() for key, _, value in (line.partition(":") for line in head[1:])
            }
            body = await _body(reader, headers)
            pod = self.pods.get(name)
            if pod is None:
                return
            answer = reply(pod, port, method, target, headers.get("host", ""), body)
            keep = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
            data = json.dumps(answer).encode() + b"\n"
            writer.write(
                f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
                f"Connection: {'keep-alive' if keep else 'close'}\r\n\r\n".encode()
                + (b"" if method == "HEAD" else data)
            )
            await writer.drain()
            if not keep:
                return

    def _context(self, name: str, port: int) -> ssl.SSLContext:
        """The pod's certificate as it is now; looked up again after a few seconds (rotation, injection)."""
        kept = self._contexts.get(name)
        if kept and time.monotonic() - kept[0] < 5:
            return kept[1]
        pair = self._mounted_pair(name, port)
        old = kept[1] if kept and pair is None else None
        context = old or _load(*(pair or _own_pair(name.partition("/")[2])))
        self._contexts[name] = (time.monotonic(), context)
        return context

    def _mounted_pair(self, name: str, port: int) -> tuple[bytes, bytes] | None:
        pod = self.pods.get(name)
        container = pods.tcp_ports(pod).get(port) if pod else None
        if pod is None or container is None:
            return None
        for secret, _ in pods.mounted_secrets(pod, container):
            try:
                found = self.api.get(f"/api/v1/namespaces/{pod['metadata']['namespace']}/secrets/{secret}")
            except ApiError:
                continue
            data = (found or {}).get("data") or {}
            if data.get("tls.crt") and data.get("tls.key"):
                return base64.b64decode(data["tls.crt"]), base64.b64decode(data["tls.key"])
        return None


def reply(pod: Object, port: int, method: str, target: str, host: str, body: bytes) -> Any:
    """What a fake pod answers to a request."""
    review: Any = None
    if method == "POST" and body:
        with contextlib.suppress(ValueError):
            review = json.loads(body)
    if isinstance(review, dict) and isinstance(review.get("request"), dict):
        request = review["request"]
        outer = {"apiVersion": review.get("apiVersion"), "kind": review.get("kind")}
        if review.get("kind") == "AdmissionReview":
            return {**outer, "response": {"uid": request.get("uid"), "allowed": True}}
        if review.get("kind") == "ConversionReview":
            version = request.get("desiredAPIVersion")
            converted = [{**thing, "apiVersion": version} for thing in request.get("objects") or []]
            result = {"status": "Success"}
            return {**outer, "response": {"uid": request.get("uid"), "result": result, "convertedObjects": converted}}
    container = pods.tcp_ports(pod).get(port, {})
    return {
        "pod": pod["metadata"]["name"],
        "namespace": pod["metadata"]["namespace"],
        "node": pod["spec"].get("nodeName"),
        "container": container.get("name"),
        "image": container.get("image"),
        "port": port,
        "method": method,
        "path": target,
        "host": host,
        "fake": True,
    }


def _listen(address: str, port: int) -> socket.socket | None:
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        print(f"cannot listen on {address}:{port}: {error.strerror}", file=sys.stderr, flush=True)
        return None
    listener.setblocking(False)
    return listener


async def _first_byte(connection: socket.socket) -> int | None:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(connection.fileno(), readable.set)
    try:
        await asyncio.wait_for(readable.wait(), 60)
    except TimeoutError:
        return None
    finally:
        loop.remove_reader(connection.fileno())
    first = connection.recv(1, socket.MSG_PEEK)
    return first[0] if first else None


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        parts = []
        while size := int((await reader.readline()).split(b";")[0], 16):
            parts.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(parts)
    length = int(headers.get("content-length") or 0)
    if length > LARGEST:
        raise ValueError("too large")
    return await reader.readexactly(length)


def _own_pair(name: str) -> tuple[bytes, bytes]:
    from magflow_sandbox import pki  # 40 MB, and most clusters never need it here

    made = pki.CA.create("sandbox-fake-pod").issue(name[:60], dns=[name])
    return made.cert.encode(), made.key.encode()


def _load(cert: bytes, key: bytes) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile(prefix="magflow-") as file:  # ssl reads key pairs from files only
        file.write(cert + b"\n" + key)
        file.flush()
        context.load_cert_chain(file.name)
    return context
