"""Questions about pods, the status of real programs, and what fake pods answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from magflow_sandbox.clusters import pod_files, pods, programs, responder, stages
from magflow_sandbox.clusters.api import Api

NOW, BEFORE = "2026-01-01T00:00:10Z", "2026-01-01T00:00:00Z"


def make(*, ready: bool = True, real: bool = False, ports: tuple[int, ...] = (8080,)) -> dict[str, Any]:
    condition = {"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": BEFORE}
    return {
        "metadata": {
            "name": "p",
            "namespace": "ns",
            "uid": "u",
            "labels": {"control-plane": "kubeflow-training-operator"} if real else {},
        },
        "spec": {
            "nodeName": "node-0",
            "containers": [
                {
                    "name": "c",
                    "image": "i",
                    "ports": [{"containerPort": port} for port in ports] + [{"containerPort": 53, "protocol": "UDP"}],
                    "volumeMounts": [{"name": "cert", "mountPath": "/tmp/certs"}],
                    "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8081}},
                    "env": [
                        {"name": "PLAIN", "value": "1"},
                        {"name": "NS", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
                        {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                    ],
                }
            ],
            "volumes": [{"name": "cert", "secret": {"secretName": "s"}}, {"name": "other", "emptyDir": {}}],
        },
        "status": {"podIP": "10.244.0.1", "conditions": [condition]},
    }


def wanted(pod: dict[str, Any]) -> set[tuple[str, int]]:
    return responder.Responder(cast(Api, None), programs.is_real).wanted(pod)


def test_a_pod_answers_on_its_tcp_ports_only_while_it_is_ready() -> None:
    assert wanted(make()) == {("10.244.0.1", 8080)}
    assert wanted(make(ready=False)) == set()
    going = make()
    going["metadata"]["deletionTimestamp"] = NOW
    assert wanted(going) == set()


def test_real_programs_answer_for_themselves() -> None:
    assert wanted(make(real=True)) == set()


def test_mounted_secrets() -> None:
    pod = make()
    assert list(pods.mounted_secrets(pod, pod["spec"]["containers"][0])) == [("s", "/tmp/certs")]


def ask(body: object) -> Any:
    return responder.reply(make(), 8080, "POST", "/x", "h", json.dumps(body).encode())


def test_an_admission_review_is_allowed() -> None:
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "7"}}
    assert ask(review)["response"] == {"uid": "7", "allowed": True}


def test_a_conversion_review_changes_the_version_only() -> None:
    request = {"uid": "7", "desiredAPIVersion": "g/v2", "objects": [{"apiVersion": "g/v1", "spec": {"a": 1}}]}
    review = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
    answer = ask(review)["response"]
    assert answer["result"]["status"] == "Success"
    assert answer["convertedObjects"] == [{"apiVersion": "g/v2", "spec": {"a": 1}}]


@pytest.mark.parametrize("body", [b"", b"not json", b"[]", b'{"request": 1}'])
def test_anything_else_says_which_pod_it_is(body: bytes) -> None:
    answer = responder.reply(make(), 8080, "POST", "/x", "h", body)
    assert (answer["pod"], answer["namespace"], answer["port"]) == ("p", "ns", 8080)


def status(pod: dict[str, Any], *, running: bool = True, ready: bool = True) -> dict[str, Any]:
    return programs.status(
        pod,
        programs.TABLE[0],
        address="10.244.128.1",
        host="10.0.0.1",
        started=BEFORE,
        now=NOW,
        running=running,
        ready=ready,
        restarts=2,
    )


def conditions(found: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {item["type"]: (item["status"], item["lastTransitionTime"]) for item in found["conditions"]}


def test_the_time_of_a_condition_that_stays_is_kept() -> None:
    assert conditions(status(make()))["Ready"] == ("True", BEFORE)
    assert conditions(status(make(), ready=False))["Ready"] == ("False", NOW)


def test_a_program_that_ended_is_waiting_and_not_ready() -> None:
    found = status(make(), running=False, ready=False)
    assert found["containerStatuses"][0]["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert found["containerStatuses"][0]["restartCount"] == 2
    assert conditions(found)["ContainersReady"][0] == "False"


def test_environment_and_probe_come_from_the_pod() -> None:
    pod = make(real=True)
    container = programs.container(pod, programs.TABLE[0])
    assert programs.environment(pod, container, "10.244.128.1") == {"PLAIN": "1", "NS": "ns", "IP": "10.244.128.1"}
    assert programs.probe(container) == (8081, "/readyz")


def test_secrets_are_written_below_the_private_tmp_only() -> None:
    folder = Path("/pod")
    assert pod_files.below_tmp(folder, "/tmp/certs") == Path("/pod/certs")
    assert pod_files.below_tmp(folder, "/etc/certs") is None
    assert pod_files.below_tmp(folder, "/tmp/../etc") is None


def test_every_stage_for_pods_leaves_real_programs_alone(tmp_path: Path) -> None:
    for part in stages.FROM_KWOK:
        folder = tmp_path / "kustomize" / "stage" / part
        folder.mkdir(parents=True)
        kind = "Pod" if part.startswith("pod") else "Node"
        stage = {
            "kind": "Stage",
            "metadata": {"name": part},
            "spec": {"resourceRef": {"kind": kind}, "selector": {"matchExpressions": []}},
        }
        (folder / "stage.yaml").write_text(yaml.safe_dump(stage))
    found = list(yaml.safe_load_all(stages.text(tmp_path, programs.LABELS)))
    assert {"tfjob-replica-ends", "tfjob-replica-restarts"} < {stage["metadata"]["name"] for stage in found}
    for stage in found:
        keys = [item["key"] for item in stage["spec"]["selector"]["matchExpressions"]]
        assert ('.metadata.labels["control-plane"]' in keys) == (stage["spec"]["resourceRef"]["kind"] == "Pod")
