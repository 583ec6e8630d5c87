"""The client against a server of our own that answers what it is told to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
import yaml

from magflow.errors import CannotTell
from magflow.kube.client import connect
from magflow.kube.errors import ApiError, Unauthorized, UnknownKind, Unreachable

DISCOVERY = {"resources": [{"name": "pods", "kind": "Pod", "namespaced": True}, {"name": "pods/log", "kind": "Pod"}]}


class Answers(BaseHTTPRequestHandler):
    table: ClassVar[dict] = {}
    seen: ClassVar[list] = []

    def do_GET(self):
        self.seen.append((self.path, self.headers))
        status, body, headers = self.table.get(self.path, (404, {"reason": "NotFound", "message": "not found"}, {}))
        data = json.dumps(body).encode() if not isinstance(body, bytes) else body
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_DELETE = do_PATCH = do_GET

    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path):
    Answers.table, Answers.seen = {"/api/v1": (200, DISCOVERY, {})}, []
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    httpd.kubeconfig = tmp_path / "kubeconfig"
    httpd.kubeconfig.write_text(kubeconfig(f"http://127.0.0.1:{httpd.server_port}"))
    yield httpd
    httpd.shutdown()
    httpd.server_close()


def kubeconfig(url):
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": url}}],
            "users": [{"name": "u", "user": {"token": "s3cret"}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
    )


def test_a_list_is_read_page_by_page(server):
    pages = {
        "/api/v1/pods?limit=500": ({"items": [{"metadata": {"name": "a"}}], "metadata": {"continue": "next"}}),
        "/api/v1/pods?limit=500&continue=next": ({"items": [{"metadata": {"name": "b"}}], "metadata": {}}),
    }
    Answers.table |= {path: (200, body, {}) for path, body in pages.items()}
    found = connect(server.kubeconfig).list("v1", "Pod")
    assert [item["metadata"]["name"] for item in found] == ["a", "b"]
    assert found[0]["kind"] == "Pod"


def test_discovery_is_asked_once(server):
    kube = connect(server.kubeconfig)
    assert kube.get("v1", "Pod", "x", "a") is None
    assert kube.get("v1", "Pod", "y", "a") is None
    assert [path for path, _ in Answers.seen].count("/api/v1") == 1
    assert "/api/v1/namespaces/a/pods/y" in [path for path, _ in Answers.seen]


def test_a_kind_that_is_not_served_is_asked_again(server):
    kube = connect(server.kubeconfig)
    for _ in range(2):
        with pytest.raises(UnknownKind, match="does not serve TFJob of kubeflow"):
            kube.get("kubeflow.org/v1", "TFJob", "x", "a")
    assert [path for path, _ in Answers.seen].count("/apis/kubeflow.org/v1") == 2


def test_the_token_is_sent_and_never_shown(server):
    Answers.table["/version"] = (500, b"broken", {})
    with pytest.raises(ApiError) as caught:
        connect(server.kubeconfig).version()
    assert Answers.seen[0][1]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in str(caught.value)
    assert caught.value.what == "broken"


def test_expired_credentials(server):
    Answers.table["/version"] = (401, {"message": "Unauthorized"}, {})
    with pytest.raises(Unauthorized, match="does not accept") as caught:
        connect(server.kubeconfig).version()
    assert caught.value.exit_code == 2


def test_a_busy_server_says_how_long(server):
    Answers.table["/version"] = (429, {"message": "too many", "reason": "TooManyRequests"}, {"Retry-After": "3"})
    with pytest.raises(ApiError) as caught:
        connect(server.kubeconfig).version()
    assert (caught.value.status, caught.value.retry_after) == (429, 3)


def test_deleting_what_is_not_there(server):
    assert connect(server.kubeconfig).delete("v1", "Pod", "x", "a") is False


def test_nothing_listens(tmp_path):
    file = tmp_path / "kubeconfig"
    file.write_text(kubeconfig("http://127.0.0.1:1"))
    with pytest.raises(Unreachable, match="Connection refused"):
        connect(file).version()


@pytest.mark.parametrize("text", ["", "a: [", "[]", "apiVersion: v1\nkind: Config\n"])
def test_a_bad_kubeconfig_is_named(tmp_path, text):
    file = tmp_path / "kubeconfig"
    file.write_text(text)
    with pytest.raises(CannotTell, match="kubeconfig is not usable") as caught:
        connect(file)
    assert caught.value.where == str(file)


def test_no_kubeconfig_was_given():
    with pytest.raises(CannotTell, match="no kubeconfig was given"):
        connect("")


def test_a_missing_kubeconfig_is_named(tmp_path):
    with pytest.raises(CannotTell, match="there is no kubeconfig"):
        connect(tmp_path / "nope")
