"""The relay itself, within one namespace."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import pytest

from magflow_sandbox import door


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("26500", (26500, ("127.0.0.1", 26500))),
        ("26600=100.64.0.1:6443", (26600, ("100.64.0.1", 6443))),
    ],
)
def test_maps(text: str, parsed: tuple[int, tuple[str, int]]) -> None:
    assert door.parse_map(text) == parsed


@pytest.mark.parametrize("text", ["", "x", "0", "70000", "1=2", "1=a:b", "1=:5"])
def test_bad_maps(text: str) -> None:
    with pytest.raises(ValueError):
        door.parse_map(text)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


async def through_a_door(listener: socket.socket, target: int, talk) -> object:  # type: ignore[no-untyped-def]
    loop = asyncio.get_running_loop()
    relay = await loop.create_server(lambda: door._Client(("127.0.0.1", target)), sock=listener)
    async with relay:
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        try:
            return await asyncio.wait_for(talk(reader, writer), 20)
        finally:
            writer.close()


def test_everything_arrives_in_both_directions(listener: socket.socket) -> None:
    data = bytes(range(256)) * 20_000  # 5 MB: more than the buffers hold

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
        writer.close()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        async def send() -> None:
            writer.write(data)
            await writer.drain()
            writer.write_eof()

        _, answer = await asyncio.gather(send(), reader.read(-1))
        return answer

    async def run() -> object:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server:
            return await through_a_door(listener, server.sockets[0].getsockname()[1], talk)

    assert asyncio.run(run()) == data


def test_what_comes_before_the_target_has_answered_is_kept(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some versions of asyncio read a first piece although reading was paused in connection_made."""

    class Hasty(door._Client):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            transport.resume_reading()  # type: ignore[attr-defined]

        async def _connect(self, here: asyncio.Transport) -> None:
            await asyncio.sleep(0.1)
            await super()._connect(here)

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.read(-1))
        writer.close()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"hello")
        writer.write_eof()
        return await reader.read(-1)

    async def run() -> object:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server:
            return await through_a_door(listener, server.sockets[0].getsockname()[1], talk)

    monkeypatch.setattr(door, "_Client", Hasty)
    assert asyncio.run(run()) == b"hello"


def test_a_target_that_does_not_listen_is_a_reset(listener: socket.socket) -> None:
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        return await reader.read(1)

    with pytest.raises(ConnectionError):
        asyncio.run(through_a_door(listener, port, talk))


def test_open(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    assert door.open("127.0.0.1", port)
    listener.close()
    assert not door.open("127.0.0.1", port)
