"""A cluster's API and nodes, and its Cluster API objects, as plain data."""

from magflow.kube import cluster_api, health
from magflow.kube.errors import ApiError, Unreachable


def node(name, ready=True, **labels):
    condition = {"type": "Ready", "status": "True" if ready else "False", "reason": "KubeletNotReady", "message": "cni"}
    return {"metadata": {"name": name, "labels": labels}, "status": {"conditions": [condition]}}


class Kube:
    host = "https://10.0.0.1:6443"

    def __init__(self, nodes=(), error=None):
        self._nodes, self._error = nodes, error

    def call(self, _method, _path, timeout):
        if self._error:
            raise self._error
        return "ok"

    def nodes(self):
        return list(self._nodes)


def test_nodes_have_their_group_and_why_they_are_not_ready():
    nodes = [
        node("demo-gpu-1", ready=False, **{"capi.stackhpc.com/node-group": "gpu"}),
        node("demo-control-plane-1", **{"node-role.kubernetes.io/control-plane": ""}),
    ]
    seen = health.look(Kube(nodes), ["gpu"], "demo")
    assert (seen["reached"], seen["healthz"], seen["error"]) == (True, "ok", "")
    assert [(n["group"], n["ready"], n["reason"]) for n in seen["nodes"]] == [
        ("control-plane", True, ""),
        ("gpu", False, "KubeletNotReady: cni"),
    ]


def test_of_an_unhealthy_api_the_failing_checks_are_told():
    class Sick(Kube):
        def call(self, _method, _path, timeout):
            return "[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\nhealthz check failed"

    assert health.look(Sick(), [], "demo")["healthz"] == "etcd failed: reason withheld"


def test_an_api_that_does_not_answer_raises_nothing():
    seen = health.look(Kube(error=Unreachable("timed out")), [], "demo")
    assert (seen["reached"], seen["error"], seen["nodes"]) == (False, "timed out", [])


class Management:
    """A management cluster that serves some groups and holds some objects."""

    def __init__(self, *objects, groups=("cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io"), refuses=()):
        self._objects, self._groups, self._refuses = objects, groups, refuses

    def call(self, _method, path):
        group = path.removeprefix("/apis/")
        if group not in self._groups:
            raise ApiError(404, "NotFound", "no such group", where="x")
        return {"preferredVersion": {"groupVersion": f"{group}/v1beta2"}}

    def list(self, version, kind, fields):
        assert version == "cluster.x-k8s.io/v1beta2"
        return [o for o in self._objects if o["kind"] == kind and fields == f"metadata.name={o['metadata']['name']}"]

    def each(self, _version, kind, namespace, labels):
        if kind in self._refuses:
            raise ApiError(403, "Forbidden", "you may not", where="x")
        yield from (
            o
            for o in self._objects
            if o["kind"] == kind
            and o["metadata"]["namespace"] == namespace
            and labels == f"{cluster_api.CLUSTER_LABEL}={o['metadata'].get('of')}"
        )


def thing(kind, name, namespace="magnum-1", of="demo-a", **status):
    return {"kind": kind, "metadata": {"name": name, "namespace": namespace, "of": of}, "status": status}


def test_the_objects_of_one_cluster_alone():
    conditions = [{"type": "Ready", "status": "False", "reason": "Waiting", "message": "for machines", "x": 1}]
    management = Management(
        thing("Cluster", "demo-a", phase="Provisioning", conditions=conditions),
        thing("Machine", "demo-a-1"),
        thing("Machine", "demo-b-1", of="demo-b"),
        thing("Machine", "demo-a-1", namespace="elsewhere"),
        thing("OpenStackCluster", "demo-a", failureMessage="quota"),
    )
    found = cluster_api.objects(management, "demo-a")
    assert [(o["kind"], o["name"]) for o in found] == [
        ("Cluster", "demo-a"),
        ("OpenStackCluster", "demo-a"),
        ("Machine", "demo-a-1"),
    ]
    said = {"type": "Ready", "status": "False", "reason": "Waiting", "message": "for machines"}
    assert (found[0]["phase"], found[0]["conditions"], found[1]["message"]) == ("Provisioning", [said], "quota")


def test_what_is_not_served_or_not_allowed_is_left_out():
    cluster = thing("Cluster", "demo-a")
    assert cluster_api.objects(Management(cluster, groups=()), "demo-a") == []
    refused = Management(cluster, thing("Machine", "demo-a-1"), refuses={"Machine"})
    assert [o["kind"] for o in cluster_api.objects(refused, "demo-a")] == ["Cluster"]
    assert cluster_api.objects(Management(cluster), "demo") == []
