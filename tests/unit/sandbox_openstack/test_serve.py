"""serve.py as it runs: HTTPS on 127.0.0.1, one silent client holds up nobody, a polite end."""

from __future__ import annotations

import http.client
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from magflow_sandbox.faults.model import Api
from magflow_sandbox.faults.store import Store
from magflow_sandbox.home import Home
from magflow_sandbox.openstack import files
from magflow_sandbox.pki import CA
from magflow_sandbox.probe import answers

APPLICATION = """
import sys

def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    return [f"{environ['wsgi.url_scheme']} {sys.argv[1:]} {len(body)}".encode()]
"""


class Served:
    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "sandbox").create()
        self.ca = folder / "ca.crt"
        CA.ensure(folder / "ca", "here").issue("door", ips=["127.0.0.1"]).write(folder / "door")
        (folder / "hello.py").write_text(APPLICATION)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        program = [sys.executable, str(files.PROGRAMS / "serve.py"), str(self.port)]
        command = [*program, str(folder / "door.crt"), str(folder / "door.key"), "hello:application", "--a", "b"]
        env = {"PYTHONPATH": str(folder), "MAGFLOW_SANDBOX_HOME": str(self.home.path)}
        self.process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 10
        while not answers(f"https://127.0.0.1:{self.port}/", self.ca):
            assert time.monotonic() < deadline and self.process.poll() is None
            time.sleep(0.05)

    def ask(self, method: str = "GET", path: str = "/", body: bytes = b"") -> tuple[int, str]:
        connection = self.connection()
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def connection(self) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=str(self.ca))
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=5)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    yield made
    made.process.kill()
    made.process.communicate()


def test_the_application_sees_https_and_its_own_arguments(served: Served) -> None:
    connection = served.connection()
    for body in (b"", b"x" * 100_000):
        # twice over one connection
        connection.request("POST", "/", body)
        text = connection.getresponse().read().decode()
        assert text == f"https ['--a', 'b'] {len(body)}"


def test_a_silent_client_holds_up_nobody(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port)):
        begun = time.monotonic()
        for _ in range(5):
            assert answers(f"https://127.0.0.1:{served.port}/", served.ca)
        assert time.monotonic() - begun < 2


def test_a_wrong_authority_and_plain_http_get_nothing(served: Served, tmp_path: Path) -> None:
    CA.create("somebody else").write(tmp_path / "other")
    assert not answers(f"https://127.0.0.1:{served.port}/", tmp_path / "other.crt")
    plain = http.client.HTTPConnection("127.0.0.1", served.port, timeout=5)
    with pytest.raises((OSError, http.client.HTTPException)):
        plain.request("GET", "/")
        plain.getresponse()
    assert answers(f"https://127.0.0.1:{served.port}/", served.ca)


def test_it_ends_when_told(served: Served) -> None:
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(5) == 0


# -- with faults


@pytest.fixture
def store(served: Served) -> Store:
    return Store(served.home)


def test_a_fault_counts_and_is_gone_when_it_is_cleared(served: Served, store: Store) -> None:
    name = store.set(Api(answer="503", count=2))
    assert [served.ask()[0] for _ in range(3)] == [503, 503, 200]
    assert store.active()[0].used == 2
    store.set(Api(answer="429"))
    assert served.ask()[0] == 429
    store.clear()
    assert served.ask()[0] == 200 and name == "api-1"


@pytest.mark.parametrize(
    ("fault", "method", "path", "meant"),
    [
        (Api(), "GET", "/", True),
        (Api(method="POST"), "GET", "/", False),
        (Api(path="/v2/*"), "GET", "/v2/images", True),
        (Api(path="/v2/images"), "GET", "/v2/images/1", False),
        (Api(service="nova"), "GET", "/", False),
    ],
)
def test_only_what_is_meant(served: Served, store: Store, fault: Api, method: str, path: str, meant: bool) -> None:
    assert served.ask(method, path)[0] == 200
    store.set(fault)
    assert (served.ask(method, path)[0] == 503) is meant


def test_a_body_of_a_refused_request_is_not_taken_for_the_next_one(served: Served, store: Store) -> None:
    store.set(Api(answer="ignored", count=1))
    connection = served.connection()
    connection.request("DELETE", "/", b"x" * 50_000)
    refused = connection.getresponse()
    assert (refused.status, refused.read()) == (204, b"")
    connection.request("POST", "/", b"abc")
    assert connection.getresponse().read().decode().endswith(" 3")


@pytest.mark.parametrize("answer", ["reset", "lost"])
def test_a_connection_is_reset_and_the_service_goes_on(served: Served, store: Store, answer: str) -> None:
    store.set(Api(answer=answer, count=1))
    # some versions of OpenSSL tell a reset as an end
    with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
        served.ask()
    assert served.ask()[0] == 200


def test_a_slow_answer_is_the_true_one(served: Served, store: Store) -> None:
    store.set(Api(answer="slow", seconds=0.5, count=1))
    begun = time.monotonic()
    assert served.ask()[0] == 200
    assert time.monotonic() - begun > 0.5
