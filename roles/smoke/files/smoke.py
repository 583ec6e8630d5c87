"""The smoke job's program: every replica finds its peers by TF_CONFIG and passes a number on. Python alone, no packages.

Workers hand a number to each store (the parameter servers, else the chief); the chief ends well once every store has
every worker's. What is proven: names resolve, ports are open, TF_CONFIG is right, the operator ends the job.
"""

import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
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
        self.answer()

    def do_PUT(self):
        STORE[self.path.strip("/")] = int(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer()

    def answer(self):
        body = json.dumps(STORE).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def say(text):
    print(f"{TASK['type']}-{TASK['index']}: {text}", flush=True)


def ask(address, number=None, path=""):
    data = None if number is None else str(number).encode()
    method = "GET" if data is None else "PUT"
    while True:
        try:
            request = urllib.request.Request(f"http://{address}/{path}", data=data, method=method)
            with urllib.request.urlopen(request, timeout=5) as answer:
                return json.load(answer)
        except (OSError, ValueError) as error:
            if time.monotonic() > END:
                sys.exit(f"{address} did not answer within {PATIENCE:.0f} s: {error}")
            time.sleep(0.5)


def main():
    if not CLUSTER:
        say("alone: there is no TF_CONFIG to find peers by")
        return
    port = int(CLUSTER[TASK["type"]][TASK["index"]].rsplit(":", 1)[1])
    server = ThreadingHTTPServer((os.environ.get("SMOKE_BIND", ""), port), Peer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stores = CLUSTER.get("ps") or CLUSTER.get("chief")
    workers = CLUSTER.get("worker", [])
    if TASK["type"] == "worker":
        for address in stores:
            ask(address, TASK["index"] + 1, str(TASK["index"]))
        say(f"handed {TASK['index'] + 1} to {len(stores)} stores")
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
