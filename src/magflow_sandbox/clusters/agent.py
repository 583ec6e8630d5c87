"""Stands for all machines of a cluster: answers for fake pods (responder.py), runs real programs (runner.py).

Runs inside the cluster's network namespace; started by control_plane.py. One watch of the pods feeds both.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

from magflow_sandbox.clusters import programs
from magflow_sandbox.clusters.addresses import Ranges
from magflow_sandbox.clusters.api import Api, ApiError, Object
from magflow_sandbox.clusters.responder import Responder
from magflow_sandbox.clusters.runner import Runner
from magflow_sandbox.home import Home, write_private
from magflow_sandbox.supervisor import Supervisor
from magflow_sandbox.toolchain import Toolchain

WATCHING = "agent.watching"  # file in the cluster's folder: the id of the agent that has a list of the pods
PAUSE = 1.0  # seconds between two looks at the real programs; sooner when a pod changed


class Agent:
    """The two parts and what they know of the pods; the file ``watching`` says that this process follows them."""

    def __init__(self, api: Api, responder: Responder, runner: Runner, watching: Path) -> None:
        self.api, self.responder, self.runner = api, responder, runner
        self.real: dict[str, Object] = {}
        self.listed = False
        self.watching = watching
        self.lock = threading.Lock()
        self.changed = threading.Event()

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Thread: follow the pods for ever."""
        for event, thing in self.api.watch("/api/v1/pods"):
            if event == "LIST":
                self._remember(thing["items"], whole=True)
                loop.call_soon_threadsafe(self.responder.replace, thing["items"])
                write_private(self.watching, str(os.getpid()))
            elif event == "DELETED":
                with self.lock:
                    self.real.pop(thing["metadata"]["uid"], None)
                self.changed.set()
                loop.call_soon_threadsafe(self.responder.remove, thing)
            else:
                self._remember([thing])
                loop.call_soon_threadsafe(self.responder.update, thing)

    def run(self) -> None:
        """Thread: look after the real programs for ever."""
        while True:
            self.changed.wait(PAUSE)
            self.changed.clear()
            with self.lock:
                listed, found = self.listed, list(self.real.values())
            if not listed:
                continue  # without a list, programs that belong to pods would be taken for left-overs
            try:
                self.runner.look(found)
            except ApiError as error:
                print(error, file=sys.stderr, flush=True)
                time.sleep(PAUSE)

    def _remember(self, found: list[Object], *, whole: bool = False) -> None:
        real = {pod["metadata"]["uid"]: pod for pod in found if programs.is_real(pod)}
        with self.lock:
            if whole:
                self.real, self.listed = real, True
            else:
                self.real.update(real)
        if real or whole:
            self.changed.set()


def _die(failure: threading.ExceptHookArgs) -> None:
    """A thread that ended by a mistake must not leave half an agent behind."""
    traceback.print_exception(failure.exc_type, failure.exc_value, failure.exc_traceback)
    os._exit(1)


async def serve(agent: Agent) -> None:
    """Run until SIGTERM; real programs go on (the next agent adopts them)."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for sent in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sent, stop.set)
    threading.Thread(target=agent.watch, args=(loop,), daemon=True, name="watch").start()
    threading.Thread(target=agent.run, daemon=True, name="run").start()
    await stop.wait()
    os._exit(0)  # the threads hold nothing that needs an orderly end


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m magflow_sandbox.clusters.agent", description=__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--cluster", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pods", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    given = parser.parse_args(argv)
    threading.excepthook = _die
    home = Home(given.home)
    folder = home.clusters / given.cluster
    api = Api.from_kubeconfig(folder / "kubeconfig" / "inside-agent")
    tools = Toolchain(given.cache)
    ranges = Ranges(pods=given.pods)
    runner = Runner(given.cluster, api, Supervisor(home), tools.path, ranges, given.port, folder)
    asyncio.run(serve(Agent(api, Responder(api, programs.is_real), runner, folder / WATCHING)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
