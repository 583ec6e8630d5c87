"""Runs the real programs of a cluster: the part of the agent that does a kubelet's work for a few pods."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from magflow_sandbox.clusters import addresses, components, pods, programs
from magflow_sandbox.clusters.addresses import Ranges
from magflow_sandbox.clusters.api import Api, Object
from magflow_sandbox.clusters.pod_files import PodFiles
from magflow_sandbox.clusters.probes import answers
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.namespaces import Netns
from magflow_sandbox.supervisor import Program, Supervisor

LONGEST_PAUSE = 30.0  # seconds between two starts of a program that keeps ending
# A private /tmp, in which the pod's files lie. The program is opened before, because it may lie below /tmp itself.
PRIVATE_TMP = 'exec 3<"$1"; mount --bind "$2" /tmp && shift 2 && cd / && exec /proc/self/fd/3 "$@"'


@dataclass
class _State:
    """What is remembered of a pod between two looks."""

    address: str
    restarts: int
    started: str
    files: PodFiles
    hooks: tuple[int, tuple[str, ...]] | None = None
    joined: bool = False  # its namespace was seen joined to the cluster's by this agent
    next_start: float = 0.0
    pause: float = 1.0
    written: Object = field(default_factory=dict)


class Runner:
    """The real programs of one cluster.

    Args:
        cluster: name of the cluster.
        api: administrator's client, from inside of the cluster's namespace.
        supervisor: of the home.
        find: gives the path of a program.
        ranges: of the cluster.
        port: of the API server.
        folder: of the cluster's files.
    """

    def __init__(
        self,
        cluster: str,
        api: Api,
        supervisor: Supervisor,
        find: Callable[[str], Path],
        ranges: Ranges,
        port: int,
        folder: Path,
    ) -> None:
        self.cluster, self.api, self.supervisor, self.find = cluster, api, supervisor, find
        self.ranges, self.port, self.folder = ranges, port, folder
        self.net = Netns(supervisor, f"cluster-{cluster}")
        self._states: dict[str, _State] = {}  # by uid

    def look(self, found: list[Object]) -> None:
        """One look at all pods that stand for real programs: start, watch, report, end."""
        present = {pod["metadata"]["uid"]: pod for pod in found}
        for name in self._running():
            if name.rpartition("/")[2] not in {uid[:13] for uid in present}:
                self._end(name.rpartition("/")[2])
        for uid in set(self._states) - set(present):
            del self._states[uid]
        for pod in present.values():
            try:
                self._one(pod)
            except SandboxError as error:
                print(f"{pods.key(pod)}: {error}", file=sys.stderr, flush=True)

    # -- one pod

    def _one(self, pod: Object) -> None:
        entry = programs.find(pod)
        if entry is None or not pod["spec"].get("nodeName"):
            return
        uid = pod["metadata"]["uid"]
        if pods.going(pod):
            self._end(uid[:13])
            self.api.delete(pods.path(pod), gracePeriodSeconds=0, preconditions={"uid": uid})
            return
        item = programs.container(pod, entry)
        state = self._states.get(uid) or self._remember(pod, item)
        settled = pods.ready(pod) and self.supervisor.alive(self._name(uid[:13]))
        missing = state.files.write(pod, item, settled=settled)
        if missing:
            self._report(pod, state, _waiting(pod, missing))
            return
        running = self._keep_running(pod, entry, item, state)
        ready = running and answers(state.address, programs.probe(item), state.hooks)
        if ready:
            state.hooks = None  # seen once since the start is enough
        now = _now()
        status = programs.status(
            pod,
            entry,
            address=state.address,
            host=pod.get("status", {}).get("hostIP") or self._host(pod),
            started=state.started,
            now=now,
            running=running,
            ready=ready,
            restarts=state.restarts,
        )
        self._report(pod, state, status)

    def _remember(self, pod: Object, item: Object) -> _State:
        taken = {state.address for state in self._states.values()}
        taken |= {pods.address(other) or "" for other in self.api.all("/api/v1/pods")}
        address = pods.address(pod) or self.ranges.free_program(taken)
        statuses = pod.get("status", {}).get("containerStatuses") or []
        have: Object = next((old for old in statuses if old["name"] == item["name"]), {})
        started = have.get("state", {}).get("running", {}).get("startedAt") or _now()
        short = pod["metadata"]["uid"][:13]
        server = f"https://{addresses.API}:{self.port}"
        files = PodFiles(self.api, self._pod_folder(short), server, self.folder / "pki" / "ca.crt")
        state = _State(address, int(have.get("restartCount", 0)), started, files)
        self._states[pod["metadata"]["uid"]] = state
        return state

    def _keep_running(self, pod: Object, entry: programs.Real, item: Object, state: _State) -> bool:
        short = pod["metadata"]["uid"][:13]
        name = self._name(short)
        if self.supervisor.alive(name) and state.joined:
            if time.time() - _seconds(state.started) > 60:
                state.pause = 1.0
            return True
        if self.supervisor.record(name) is not None and not self.supervisor.alive(
            name
        ):  # it had been started and has ended
            if not state.next_start:
                state.next_start = time.monotonic() + state.pause
                state.pause = min(LONGEST_PAUSE, state.pause * 2)
                state.restarts += 1
            if time.monotonic() < state.next_start:
                return False
        state.next_start = 0.0
        own = Netns(self.supervisor, f"{self.net.name}/{short}")
        own.up()
        self.net.veth(own, f"p{short.replace('-', '')}", state.address, addresses.API)
        binary, inside = str(self.find(entry.program)), str(self._pod_folder(short))
        command = [
            "unshare",
            "--mount",
            "sh",
            "-c",
            PRIVATE_TMP,
            entry.program,
            binary,
            inside,
            *(item.get("args") or []),
        ]
        environment = components.environment(
            components.memory(entry.memory),
            {"KUBECONFIG": "/tmp/kubeconfig", "HOME": "/tmp"},  # noqa: S108 - the program's private one
            {"KUBERNETES_SERVICE_HOST": addresses.API, "KUBERNETES_SERVICE_PORT": str(self.port)},
            {"HOSTNAME": pod["metadata"]["name"]},
            programs.environment(pod, item, state.address),
        )
        after = (f"cluster/{self.cluster}/apiserver",)
        if self.supervisor.start(Program(name, command, environment, namespace=own.name, after=after)):
            state.started, state.hooks = _now(), entry.hooks
        state.joined = True
        return True

    def _report(self, pod: Object, state: _State, status: Object) -> None:
        if status != state.written:
            self.api.patch(
                f"{pods.path(pod)}/status", {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}, "merge"
            )
            state.written = status

    # -- names and ends

    def _name(self, short: str) -> str:
        return f"cluster/{self.cluster}/pod/{short}"

    def _pod_folder(self, short: str) -> Path:
        return self.folder / "pods" / short

    def _running(self) -> list[str]:
        prefix = self._name("")
        return [name for name in self.supervisor.names() if name.startswith(prefix)]

    def _end(self, short: str) -> None:
        self.supervisor.stop(self._name(short))
        Netns(self.supervisor, f"{self.net.name}/{short}").down()
        shutil.rmtree(self._pod_folder(short), ignore_errors=True)

    def _host(self, pod: Object) -> str | None:
        node = self.api.get(f"/api/v1/nodes/{pod['spec']['nodeName']}") or {}
        for address in node.get("status", {}).get("addresses") or []:
            if address["type"] == "InternalIP":
                return str(address["address"])
        return None


def _waiting(pod: Object, secret: str) -> Object:
    """The status of a pod whose volumes cannot be mounted yet."""
    state = {"waiting": {"reason": "ContainerCreating", "message": f'secret "{secret}" not found'}}
    containers = [
        {
            "name": each["name"],
            "image": each.get("image", ""),
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": state,
        }
        for each in pod["spec"]["containers"]
    ]
    return {"phase": "Pending", "containerStatuses": containers}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds(stamp: str) -> float:
    return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
