"""The smoke job's program: every replica finds its peers by TF_CONFIG and passes a number on. It needs Python alone.

Workers hand a number to each store (the parameter servers, else the chief); the chief ends well once every store has
every worker's. What is proven: names resolve, ports are open, TF_CONFIG is right, the operator ends the job.
"""

import http.client
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONFIG = json.loads(os.environ.get("TF_CONFIG", "{}"))
CLUSTER = CONFIG.get("cluster", {})
TASK = CONFIG.get("task", {"type": "chief", "index": 0})
PATIENCE = float(os.environ.get("SMOKE_PATIENCE", "120"))
END = time.monotonic() + PATIENCE
STORE = {}


class Peer(BaseHTTPRequestHandler):
    """GET gives what is stored, PUT /N stores worker N's number."""

    def do_GET(self):
        """Gives the store."""
        body = json.dumps(STORE).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        """Keeps a worker's number, and gives the store."""
        STORE[self.path.strip("/")] = int(self.rfile.read(int(self.headers["Content-Length"])))
        self.do_GET()

    def log_message(self, *args):
        """Keeps the log to what the program says."""


def say(text):
    """One line of the log."""
    print(f"{TASK['type']}-{TASK['index']}: {text}", flush=True)


def ask(address, method="GET", path="/", body=None):
    """A peer's store; peers that are not up yet are waited for."""
    while True:
        peer = http.client.HTTPConnection(address, timeout=5)
        try:
            peer.request(method, path, body)
            return json.load(peer.getresponse())
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() > END:
                sys.exit(f"{address} did not answer within {PATIENCE:.0f} s: {error}")
            time.sleep(0.5)
        finally:
            peer.close()


def main():
    """Plays this replica's part."""
    if not CLUSTER:
        say("alone: there is no TF_CONFIG to find peers by")
        return
    port = int(CLUSTER[TASK["type"]][TASK["index"]].rsplit(":", 1)[1])
    server = ThreadingHTTPServer((os.environ.get("SMOKE_BIND", ""), port), Peer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stores = CLUSTER.get("ps") or CLUSTER.get("chief")
    workers = CLUSTER.get("worker", [])
    if TASK["type"] == "worker":
        number = TASK["index"] + 1
        for address in stores:
            ask(address, "PUT", f"/{TASK['index']}", str(number))
        say(f"handed {number} to {len(stores)} stores")
    elif TASK["type"] == "ps":
        say(f"serving on {port}")
        threading.Event().wait()  # the operator ends parameter servers with the job
    else:
        wanted = sum(range(1, len(workers) + 1))
        for address in stores:
            while sum(ask(address).values()) != wanted:
                if time.monotonic() > END:
                    sys.exit(f"{address} has not heard of every worker within {PATIENCE:.0f} s")
                time.sleep(0.5)
        say(f"every store has {wanted} from {len(workers)} workers")


main()
