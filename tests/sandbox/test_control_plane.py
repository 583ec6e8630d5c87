"""A Kubernetes cluster without OpenStack: real control plane, fake nodes that answer, the real training operator."""

from __future__ import annotations

import base64
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from magflow_sandbox import processes
from magflow_sandbox.clusters import nodes, standalone
from magflow_sandbox.clusters.api import Api, ApiError
from magflow_sandbox.clusters.control_plane import ControlPlane
from magflow_sandbox.home import Home
from magflow_sandbox.pki import CA
from magflow_sandbox.supervisor import Supervisor
from magflow_sandbox.toolchain import Toolchain

GROUPS = {"default-worker": (2, 0), "gpu": (1, 4)}
PODS = "/api/v1/namespaces/default/pods"
JOBS = "/apis/kubeflow.org/v1/namespaces/default/tfjobs"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    made = Home(tmp_path_factory.mktemp("clusters") / "home")
    yield made
    Supervisor(made).stop_all()


@pytest.fixture(scope="module")
def plane(home: Home) -> Iterator[ControlPlane]:
    tools = Toolchain()
    tools.ensure("demo", only=(*standalone.TOOLS, "kubectl"))
    yield standalone.up(home, "one", GROUPS, tools)
    standalone.down(home, "one")


@pytest.fixture(scope="module")
def api(plane: ControlPlane) -> Api:
    return plane.api()


@pytest.fixture(scope="module")
def operator(plane: ControlPlane, api: Api) -> str:
    """The training operator from its own manifests, Available; returns its deployment's path."""
    manifests = plane.tools.module_dir("training-operator") / "manifests" / "overlays" / "standalone"
    kubectl = [str(plane.tools.path("kubectl")), f"--kubeconfig={plane.kubeconfig()}"]
    subprocess.run(
        [*kubectl, "apply", "--server-side", "--validate=false", "-k", str(manifests)],
        check=True,
        capture_output=True,
        timeout=120,
    )
    deployment = "/apis/apps/v1/namespaces/kubeflow/deployments/training-operator"
    until(lambda: (api.get(deployment) or {})["status"].get("availableReplicas") == 1)
    return deployment


def until(holds: Callable[[], Any], within: float = 60) -> Any:
    """Wait until something holds and return it."""
    deadline = time.monotonic() + within
    while True:
        found = holds()
        if found:
            return found
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.2)


def pod(name: str, *, gpus: int = 0, **container: Any) -> dict[str, Any]:
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    ports = [{"containerPort": 8080}]
    what = {"name": "c", "image": "example/image", "resources": {"limits": limits}, "ports": ports, **container}
    meta = {"name": name, "labels": {"app": name}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [what]}}


def ready(api: Api, name: str, path: str = PODS) -> dict[str, Any] | None:
    found = api.get(f"{path}/{name}") or {}
    conditions = found.get("status", {}).get("conditions") or []
    return found if {"type": "Ready", "status": "True"}.items() <= _of(conditions, "Ready").items() else None


def _of(conditions: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    found = next((item for item in conditions if item["type"] == kind), {})
    return {key: found[key] for key in ("type", "status") if key in found}


def tfjob(name: str, container: str = "tensorflow", **annotations: str) -> dict[str, Any]:
    def replicas(count: int, gpus: int = 0) -> dict[str, Any]:
        limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
        containers = [{"name": container, "image": "example/tf", "resources": {"limits": limits}}]
        template = {"metadata": {"annotations": annotations}, "spec": {"containers": containers}}
        return {"replicas": count, "restartPolicy": "Never", "template": template}

    specs = {"Chief": replicas(1), "PS": replicas(1), "Worker": replicas(2, gpus=2)}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": name},
        "spec": {"runPolicy": {"cleanPodPolicy": "None"}, "tfReplicaSpecs": specs},
    }


def conditions_of(api: Api, name: str) -> set[str]:
    found = (api.get(f"{JOBS}/{name}") or {}).get("status", {}).get("conditions") or []
    return {item["type"] for item in found if item["status"] == "True"}


def listeners(pid: int) -> set[tuple[str, int]]:
    """Listening TCP sockets in the network namespace of a process."""
    found = set()
    for file, width in (("tcp", 8), ("tcp6", 32)):
        for line in Path(f"/proc/{pid}/net/{file}").read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            if state == "0A":
                raw, port = local.split(":")
                assert len(raw) == width
                address = socket.inet_ntoa(bytes.fromhex(raw)[::-1]) if width == 8 else raw
                found.add((address, int(port, 16)))
    return found


# -- the control plane


def test_it_is_ready_with_its_nodes(plane: ControlPlane, api: Api) -> None:
    assert plane.ready()
    assert plane.dead() == []
    found = {item["metadata"]["name"]: item for item in api.all("/api/v1/nodes")}
    assert set(found) == {"one-control-plane-0", "one-default-worker-0", "one-default-worker-1", "one-gpu-0"}
    assert nodes.ready(api) == set(found)
    assert found["one-gpu-0"]["status"]["allocatable"]["nvidia.com/gpu"] == "4"
    assert found["one-gpu-0"]["metadata"]["labels"]["capi.stackhpc.com/node-group"] == "gpu"
    assert found["one-control-plane-0"]["spec"]["taints"][0]["key"] == nodes.CONTROL_PLANE


def test_starting_it_again_changes_nothing(plane: ControlPlane) -> None:
    before = {item.name: item.pid for item in plane.supervisor.programs()}
    plane.start()
    assert {item.name: item.pid for item in plane.supervisor.programs()} == before


def test_a_client_without_a_certificate_is_refused_and_a_wrong_ca_fails(plane: ControlPlane) -> None:
    import ssl

    url = f"https://127.0.0.1:{plane.port}"
    ours = ssl.create_default_context(cafile=str(plane.folder / "pki" / "ca.crt"))
    with pytest.raises(ApiError) as refused:
        Api(url, ours).request("GET", PODS)
    assert refused.value.code in (401, 403)
    with pytest.raises(ApiError, match="certificate verify failed"):
        Api(url, ssl.create_default_context(cadata=CA.create("other").cert)).request("GET", PODS)


# -- fake nodes


def test_a_gpu_pod_is_scheduled_and_one_too_many_is_not(api: Api) -> None:
    api.create(PODS, pod("gpu-pod", gpus=3))
    found = until(lambda: ready(api, "gpu-pod"))
    assert found["spec"]["nodeName"] == "one-gpu-0"
    api.create(PODS, pod("greedy", gpus=2))
    until(lambda: _of((api.get(f"{PODS}/greedy") or {})["status"].get("conditions") or [], "PodScheduled"))
    assert (api.get(f"{PODS}/greedy") or {})["status"]["phase"] == "Pending"
    for name in ("gpu-pod", "greedy"):
        api.delete(f"{PODS}/{name}")


def test_a_fake_pod_answers_while_it_is_there(plane: ControlPlane, api: Api) -> None:
    api.create(PODS, pod("web"))
    address = until(lambda: ready(api, "web"))["status"]["podIP"]
    curl = ["curl", "-sS", "--max-time", "5", f"http://{address}:8080/some/path"]
    answer = json.loads(until(lambda: plane.net.run(curl, check=False).stdout, within=15))
    assert (answer["pod"], answer["path"]) == ("web", "/some/path")
    assert plane.net.run([*curl[:-1], f"http://{address}:8081/"], check=False).returncode == 7  # refused
    secure = plane.net.run([*curl[:-1], "-k", f"https://{address}:8080/"])
    assert json.loads(secure.stdout)["pod"] == "web"
    api.delete(f"{PODS}/web")
    until(lambda: plane.net.run(curl, check=False).returncode == 7, within=30)


def test_a_webhook_in_a_fake_pod_is_called_when_its_pod_is_ready(api: Api) -> None:
    """Connection refused before, an answer after: with a certificate from the mounted secret."""
    ca = CA.create("hook-ca")
    pair = ca.issue("hook", dns=["hook.default.svc"])
    encoded = {
        f"tls.{end}": base64.b64encode(text.encode()).decode() for end, text in (("crt", pair.cert), ("key", pair.key))
    }
    api.create("/api/v1/namespaces/default/secrets", {"metadata": {"name": "hook-tls"}, "data": encoded})
    ports = [{"port": 443, "targetPort": 8443}]
    api.create(
        "/api/v1/namespaces/default/services",
        {"metadata": {"name": "hook"}, "spec": {"selector": {"app": "hook"}, "ports": ports}},
    )
    hook = {
        "name": "hook.example.org",
        "clientConfig": {
            "service": {"name": "hook", "namespace": "default", "path": "/validate"},
            "caBundle": base64.b64encode(ca.cert.encode()).decode(),
        },
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    api.create(hooks, {"metadata": {"name": "hook"}, "webhooks": [hook]})
    maps = "/api/v1/namespaces/default/configmaps"

    def refusal() -> str:
        try:
            api.create(maps, {"metadata": {"generateName": "m-"}})
        except ApiError as error:
            return error.what
        return ""

    try:
        until(
            lambda: "no endpoints available" in refusal(), within=10
        )  # the API server learns of the hook a moment later
        mounts = [{"name": "tls", "mountPath": "/certs"}]
        mine = pod("hook", ports=[{"containerPort": 8443}], volumeMounts=mounts)
        mine["spec"]["volumes"] = [{"name": "tls", "secret": {"secretName": "hook-tls"}}]
        api.create(PODS, mine)
        until(lambda: refusal() == "", within=40)
    finally:
        api.delete(f"{hooks}/hook")
        api.delete(f"{PODS}/hook")


def test_nothing_listens_on_every_address(plane: ControlPlane, api: Api) -> None:
    api.create(PODS, pod("listener"))
    address = until(lambda: ready(api, "listener"))["status"]["podIP"]
    until(lambda: (address, 8080) in listeners(plane.net.pid), within=15)
    inside = listeners(plane.net.pid)
    assert {where for where, _ in inside} <= {"127.0.0.1", "100.64.0.1", address}
    ours = set(processes.marked(plane.home.path, None))
    outside = {c.laddr for c in psutil.net_connections("tcp") if c.status == psutil.CONN_LISTEN and c.pid in ours}
    assert {where.ip for where in outside} == {"127.0.0.1"}
    api.delete(f"{PODS}/listener")


# -- the real training operator


@pytest.mark.usefixtures("operator")
def test_a_tfjob_runs_to_its_end(api: Api) -> None:
    api.create(JOBS, tfjob("good"))
    until(lambda: "Succeeded" in conditions_of(api, "good"))
    found = api.all(PODS, labelSelector="training.kubeflow.org/job-name=good")
    phases = {item["metadata"]["name"]: item["status"]["phase"] for item in found}
    assert phases["good-chief-0"] == "Succeeded"
    assert phases["good-ps-0"] == "Running"
    assert {item["spec"]["nodeName"] for item in found if "worker" in item["metadata"]["name"]} == {"one-gpu-0"}
    api.delete(f"{JOBS}/good")


@pytest.mark.usefixtures("operator")
def test_a_replica_that_fails_fails_the_job(api: Api) -> None:
    marks = {"sandbox.magflow.io/exit-code": "3", "sandbox.magflow.io/run-for": "500ms"}
    api.create(JOBS, tfjob("failing", **marks))
    until(lambda: "Failed" in conditions_of(api, "failing"))
    api.delete(f"{JOBS}/failing")


@pytest.mark.usefixtures("operator")
def test_the_operators_webhook_rejects_a_bad_job(api: Api) -> None:
    with pytest.raises(ApiError, match="at least one container with name tensorflow"):
        api.create(JOBS, tfjob("bad", container="other"))


def test_an_operator_that_dies_is_started_again_and_counted(plane: ControlPlane, api: Api, operator: str) -> None:
    path = "/api/v1/namespaces/kubeflow/pods"
    (name,) = (item["metadata"]["name"] for item in api.all(path))
    (program,) = (item for item in plane.supervisor.programs() if "/pod/" in item.name and "netns" not in item.name)
    os.kill(program.pid, signal.SIGKILL)
    restarted = until(lambda: _restarts(api, path, name) == 1 and ready(api, name, path))
    assert restarted["status"]["podIP"].startswith("10.244.128.")
    until(lambda: (api.get(operator) or {})["status"].get("availableReplicas") == 1, within=30)


def _restarts(api: Api, path: str, name: str) -> int:
    return int((api.get(f"{path}/{name}") or {})["status"]["containerStatuses"][0]["restartCount"])


def test_a_deleted_operator_ends_and_its_successor_takes_over(plane: ControlPlane, api: Api, operator: str) -> None:
    path = "/api/v1/namespaces/kubeflow/pods"
    (old,) = (item["metadata"]["name"] for item in api.all(path))
    api.delete(f"{path}/{old}")
    until(lambda: api.get(f"{path}/{old}") is None)
    until(lambda: (api.get(operator) or {})["status"].get("availableReplicas") == 1)
    running = [item for item in plane.supervisor.programs() if item.name.startswith("cluster/one/pod/")]
    assert len(running) == 1


# -- faults and ends


@pytest.mark.parametrize("part", ["agent", "kwok", "apiserver", "etcd", "door"])
def test_a_dead_part_shows_and_is_healed_with_the_data(plane: ControlPlane, api: Api, part: str) -> None:
    name = f"kept-{part}"
    api.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": name}})
    pid = plane.supervisor.pid(plane.program(part))
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: plane.dead() == [part] and not plane.ready(), within=15)
    plane.start()
    until(plane.ready)
    assert api.get(f"/api/v1/namespaces/default/configmaps/{name}") is not None
    api.create(PODS, pod(name))
    until(lambda: ready(api, name), within=40)
    addresses = [item["status"]["podIP"] for item in api.all(PODS)]
    assert len(addresses) == len(set(addresses))


def test_a_lost_namespace_is_healed_with_everything_inside(plane: ControlPlane, api: Api, operator: str) -> None:
    (address,) = (item["status"]["podIP"] for item in api.all("/api/v1/namespaces/kubeflow/pods"))
    os.kill(plane.net.pid, signal.SIGKILL)
    until(lambda: "namespace" in plane.dead(), within=15)
    plane.start()
    until(plane.ready)
    curl = ["curl", "-sS", "--max-time", "5", f"http://{address}:8081/readyz"]
    until(lambda: plane.net.run(curl, check=False).stdout == "ok")
    until(lambda: (api.get(operator) or {})["status"].get("availableReplicas") == 1)


def test_two_clusters_with_the_same_ranges_do_not_meet(plane: ControlPlane, api: Api, home: Home) -> None:
    other = standalone.up(home, "two", {"default-worker": (1, 0)}, plane.tools)
    try:
        assert other.ranges == plane.ranges
        addresses = {}
        for place in (plane, other):
            place.api().create(PODS, pod(f"web-{place.name}"))
            found = until(lambda place=place: ready(place.api(), f"web-{place.name}"))
            url = f"http://{found['status']['podIP']}:8080/"
            answer = until(lambda place=place, url=url: place.net.run(["curl", "-s", url], check=False).stdout)
            addresses[json.loads(answer)["pod"]] = url
        assert set(addresses) == {"web-one", "web-two"}
        assert {item["metadata"]["name"] for item in other.api().all("/api/v1/nodes")} == {
            "two-control-plane-0",
            "two-default-worker-0",
        }
    finally:
        standalone.down(home, "two")
        api.delete(f"{PODS}/web-one")
    assert not [item for item in plane.supervisor.programs() if "two" in item.name]


@pytest.mark.parametrize("seconds", [0.5, 1.5, 3.0])
def test_an_up_that_is_killed_is_continued_by_the_next(tmp_path: Path, seconds: float) -> None:
    mine = Home(tmp_path / "home")
    words = ["--home", str(mine.path), "--name", "killed", "--nodes", "default-worker=1"]
    command = [sys.executable, "-m", "magflow_sandbox.clusters.standalone", "up", *words]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    time.sleep(seconds)
    first.kill()
    first.wait()
    try:
        plane = standalone.up(mine, "killed", {"default-worker": (1, 0)}, Toolchain())
        assert plane.ready()
        names = [_mark(pid) for pid in processes.marked(mine.path, None)]
        assert len(names) == len(set(names))
    finally:
        standalone.down(mine, "killed")
    assert processes.marked(mine.path, None) == []


def _mark(pid: int) -> str:
    marks = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return next(mark.decode() for mark in marks if mark.startswith(b"MAGFLOW_PROGRAM="))


def test_down_leaves_nothing(tmp_path: Path, plane: ControlPlane) -> None:
    before = set(psutil.net_if_addrs())
    mine = Home(tmp_path / "home")
    made = standalone.up(mine, "gone", {"default-worker": (1, 0)}, plane.tools)
    standalone.down(mine, "gone")
    assert processes.marked(mine.path, None) == []
    assert Supervisor(mine).programs() == []
    assert not made.folder.exists()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", made.port)) != 0
    assert set(psutil.net_if_addrs()) == before
