"""What is gathered of a cluster: its own things, others' ports in its way, and a note of each service that refuses."""

from types import SimpleNamespace

import openstack.exceptions
import pytest

from magflow.cloud import evidence, heat
from magflow.cloud.ownership import Mark

ID = "5f9c0f6e-8c4e-4a5e-9d7e-0a1b2c3d4e5f"
STACK = "demo-abcdefghijkl"
MARK = Mark(ID, "demo", STACK, "8f0e", groups=("gpu",))
RESOURCE = f"magnum-8f0e-{STACK}"
BY_PROVIDER = f"Created by cluster-api-provider-openstack cluster {RESOURCE}"
NOW = "2026-04-06T11:51:31+00:00"


class Service:
    def __init__(self, **lists):
        self._lists = lists

    def __getattr__(self, name):
        def answer(*_args, **_query):
            found = self._lists.get(name, [])
            if isinstance(found, Exception):
                raise found
            return found

        return answer


def port(id, description="", network="n0", groups=(), owner="", device="", name=""):
    return SimpleNamespace(
        id=id, name=name, description=description, network_id=network, security_group_ids=list(groups),
        device_owner=owner, device_id=device,
    )  # fmt: skip


def named(id, name, **more):
    return SimpleNamespace(id=id, name=name, description=more.pop("description", ""), **more)


NETWORK = {
    "security_groups": [named("g1", f"k8s-cluster-{RESOURCE}-secgroup-worker"), named("g2", "web")],
    "networks": [named("n1", f"k8s-clusterapi-cluster-{RESOURCE}"), named("n2", "public")],
    "ports": [
        port("p1", BY_PROVIDER),
        port("p2", network="n1", name="mine"),
        port("p3", groups=["g1"], device="s9", owner="compute:nova"),
        port("p4", network="n2", groups=["g2"]),
    ],
    "ips": [named("f1", "", description=BY_PROVIDER, floating_ip_address="10.0.0.9", port_id="p1")],
}
COMPUTE = {
    "servers": [
        named("s1", f"{STACK}-gpu-abcde", status="ERROR", fault={"message": "No valid host was found.", "code": 500}),
        named("s2", "other", status="ACTIVE", fault=None),
    ]
}


def cloud(catalog=(), **services):
    things = {name: Service(**services.get(name, {})) for name in ("network", "compute", "load_balancer")}
    return SimpleNamespace(has_service=lambda kind: kind in catalog, **things)


@pytest.fixture(autouse=True)
def magnum(monkeypatch):
    shown = {"uuid": ID, "name": "demo", "status": "CREATE_FAILED", "status_reason": "a\n  b"}
    monkeypatch.setattr(evidence.magnum, "show", lambda _cloud, _id: shown)
    monkeypatch.setattr(evidence.magnum, "show_node_groups", lambda _cloud, _id: [{"name": "gpu"}])
    return shown


def test_own_things_and_others_ports_in_their_way():
    seen = evidence.gather(cloud(network=NETWORK, compute=COMPUTE), MARK, NOW)
    assert [item["id"] for item in seen.security_groups] == ["g1"]
    assert [item["id"] for item in seen.networks] == ["n1"]
    assert [(item["id"], item["ours"]) for item in seen.ports] == [("p1", True), ("p2", False), ("p3", False)]
    assert seen.floating_ips == [{"id": "f1", "address": "10.0.0.9", "port": "p1"}]
    assert [(item["id"], item["fault"]) for item in seen.servers] == [("s1", "No valid host was found.")]
    assert ("Magnum, status_reason", "a b") in seen.texts()
    assert seen.unseen == []


def test_a_service_that_refuses_or_fails_is_noted_and_the_look_goes_on():
    forbidden = openstack.exceptions.ForbiddenException("you may not")
    broken = openstack.exceptions.SDKException("503 from the proxy")
    seen = evidence.gather(cloud(network=NETWORK | {"ports": broken}, compute={"servers": forbidden}), MARK, NOW)
    assert seen.unseen == ["Nova: you may not", "Neutron: 503 from the proxy"]
    assert seen.security_groups


def test_health_that_is_well_says_nothing(magnum):
    magnum |= {"health_status": "UNHEALTHY", "health_status_reason": {"api": "ok", "cluster": "Waiting on ['Ready']"}}
    seen = evidence.gather(cloud(), MARK, NOW)
    assert [where for where, _ in seen.texts()] == ["Magnum, status_reason", "Magnum, health of cluster"]


def test_evidence_is_plain_data_that_can_be_judged_again():
    seen = evidence.gather(cloud(network=NETWORK, compute=COMPUTE), MARK, NOW)
    assert evidence.Evidence(**seen.as_dict()) == seen


@pytest.mark.parametrize(("text", "asked"), [("Quota exceeded for cores", True), ("No valid host was found", False)])
def test_quotas_are_looked_at_only_when_a_text_speaks_of_them(monkeypatch, text, asked):
    calls = []

    def read(_connection):
        calls.append(1)
        return {"cores": evidence.quotas.Quota(20, 20), "instances": evidence.quotas.Quota(10, 3)}

    monkeypatch.setattr(evidence.quotas, "READERS", {"nova": ("compute", read)})
    seen = evidence.Evidence("demo", NOW, cluster={"status_reason": text})
    evidence.add_quotas(cloud({"compute"}), seen)
    assert bool(calls) is asked
    assert seen.quotas == (["nova: 20 of 20 cores are used"] if asked else [])


def test_heats_stack_is_read_with_its_nested_resources_and_gives_the_ids_of_what_it_made():
    resources = [
        {"resource_name": "kube-master", "resource_type": "OS::Nova::Server", "physical_resource_id": "s1"},
        {"resource_name": "eth0", "resource_type": "OS::Neutron::Port", "physical_resource_id": ""},
        {"resource_name": "config", "resource_type": "OS::Heat::SoftwareConfig", "physical_resource_id": "x"},
    ]
    asked = {}

    def get(path, params):
        asked.update(params, path=path)
        return SimpleNamespace(json=lambda: {"resources": resources})

    stack = named("st1", STACK, status="CREATE_FAILED", status_reason="x", parameters={"trustee_user_id": "u1"})
    orchestration = SimpleNamespace(get_stack=lambda _id, resolve_outputs: stack, get=get)
    there = SimpleNamespace(has_service=lambda kind: kind == "orchestration", orchestration=orchestration)
    found = heat.stack(there, "st1")
    assert asked == {"nested_depth": 3, "path": f"/stacks/{STACK}/st1/resources"}
    assert (found["trustee"], found["status"]) == ("u1", "CREATE_FAILED")
    assert heat.made(found) == {"server": {"s1"}}
    assert heat.stack(SimpleNamespace(has_service=lambda _kind: False), "st1") is None


def test_labels_that_are_secrets_are_masked(magnum):
    magnum |= {"labels": {"grafana_admin_passwd": "hunter2", "kube_tag": "v1"}, "labels_added": {"x_token": "y"}}
    seen = evidence.gather(cloud(), MARK, NOW)
    assert seen.cluster["labels"] == {"grafana_admin_passwd": "***", "kube_tag": "v1"}
    assert "hunter2" not in str(seen.as_dict())
