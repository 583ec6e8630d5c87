"""Hosts, nodes and backends: pure rules."""

import pytest

from magflow.errors import MagflowError
from magflow.kube.ingress import Host, address, choose_nodes, host_name, ingress_object, route
from magflow.kube.nodes import name

GROUPS = ("default-worker", "gpu")


def node(called, role=None, **addresses):
    labels = {"role": role} if role else {}
    kinds = [{"type": kind, "address": value} for kind, value in addresses.items()]
    return {"metadata": {"name": called, "labels": labels}, "status": {"addresses": kinds}}


def service(called, namespace="kubeflow", port=80, **labels):
    meta = {"name": called, "namespace": namespace, "labels": labels}
    return {"metadata": meta, "spec": {"clusterIP": "10.96.0.9", "ports": [{"port": port}]}}


NODES = [
    node("demo-a-control-plane-0"),
    node("demo-a-gpu-1"),
    node("demo-a-default-worker-10"),
    node("demo-a-default-worker-2"),
]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("first-worker", ["demo-a-default-worker-2"]),
        ({"group": "default-worker"}, ["demo-a-default-worker-2", "demo-a-default-worker-10"]),
        ({"pattern": "*-gpu-?"}, ["demo-a-gpu-1"]),
        ({"pattern": "*-control-plane-*"}, ["demo-a-control-plane-0"]),
    ],
)
def test_rules_of_nodes(rule, expected):
    assert [name(n) for n in choose_nodes(NODES, rule, GROUPS, "demo")] == expected


def test_a_node_that_has_the_role_keeps_it():
    nodes = [*NODES, node("demo-a-default-worker-30", role="ingress")]
    assert name(choose_nodes(nodes, "first-worker", GROUPS, "demo")[0]) == "demo-a-default-worker-30"
    assert name(choose_nodes(nodes, {"group": "default-worker"}, GROUPS, "demo")[0]) == "demo-a-default-worker-30"


def test_workers_of_other_groups_serve_when_there_are_no_others():
    assert name(choose_nodes(NODES[:2], "first-worker", GROUPS, "demo")[0]) == "demo-a-gpu-1"


@pytest.mark.parametrize("rule", ["first-worker", {"group": "nope"}, {"pattern": "*-minion-0"}])
def test_no_node_fits(rule):
    with pytest.raises(MagflowError, match="no node fits") as caught:
        choose_nodes(NODES[:1], rule, GROUPS, "demo")
    assert "demo-a-control-plane-0" in caught.value.hint


def test_address_of_the_wanted_kind():
    assert address(node("n", InternalIP="10.0.0.8", ExternalIP="192.0.2.1"), "ExternalIP") == "192.0.2.1"
    with pytest.raises(MagflowError, match="no ExternalIP") as caught:
        address(node("n", InternalIP="10.0.0.8"), "ExternalIP")
    assert "InternalIP 10.0.0.8" in caught.value.hint


@pytest.mark.parametrize(
    ("where", "domain", "style", "expected"),
    [
        ("10.145.0.8", "nip.io", "dots", "kubeflow.10.145.0.8.nip.io"),
        ("10.145.0.8", "sslip.io", "dashes", "kubeflow.10-145-0-8.sslip.io"),
        ("10.145.0.8", "ml.example.org", "dots", "kubeflow.ml.example.org"),
        ("2001:db8::8", "sslip.io", "dots", "kubeflow.2001-db8--8.sslip.io"),
        ("::1", "sslip.io", "dots", "kubeflow.0--1.sslip.io"),
        ("2001:db8::", "sslip.io", "dots", "kubeflow.2001-db8--0.sslip.io"),
    ],
)
def test_host_names(where, domain, style, expected):
    assert host_name("kubeflow", where, domain, style) == expected


@pytest.mark.parametrize(
    ("key", "wished", "services", "expected"),
    [
        ("kubeflow", "ambassador", [service("ambassador"), service("centraldashboard")], ("ambassador", 80, True)),
        ("kubeflow", "ambassador", [service("centraldashboard")], ("centraldashboard", 80, True)),
        ("kubeflow", "mine", [service("mine", port=8080)], ("mine", 8080, True)),
        ("mnist", "web-ui", [], ("web-ui", 80, False)),
        ("mnist", "web-ui", [service("web-ui", "other")], ("web-ui", 80, False)),
        ("another", "thing", [service("thing")], ("thing", 80, True)),
    ],
)
def test_backends(key, wished, services, expected):
    found = route(key, Host(key, "kubeflow", wished, 80), "h", services)
    assert (found.service, found.port, found.found) == expected


def test_grafana_is_found_by_its_label():
    host = Host("grafana", "monitoring", "prometheus-operator-grafana", 80)
    label = {"app.kubernetes.io/name": "grafana"}
    here = route("grafana", host, "h", [service("kps-grafana", "monitoring", 3000, **label)])
    assert (here.service, here.port, here.found) == ("kps-grafana", 3000, True)
    there = route("grafana", host, "h", [service("magnum-grafana", "kube-system", **label)])
    assert (there.found, there.elsewhere) == (False, "kube-system/magnum-grafana")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("kubeflow", "ambassador-ingress"),
        ("tensorboard", "tensorboard-ingress"),
        ("mnist", "mnist-ingress"),
        ("grafana", "monitoring-ingress"),
    ],
)
def test_objects_are_named_as_in_the_article(key, expected):
    made = ingress_object(route(key, Host(key, "kubeflow", "s", 80), "h.nip.io", []), "traefik")
    assert made["metadata"]["name"] == expected
    assert made["apiVersion"] == "networking.k8s.io/v1"
    assert made["spec"]["ingressClassName"] == "traefik"


def test_a_host_with_a_wrong_word_is_named():
    with pytest.raises(MagflowError, match="host 'x' needs name, namespace, service and port"):
        Host.of("x", {"name": "x", "backend": "y"})
