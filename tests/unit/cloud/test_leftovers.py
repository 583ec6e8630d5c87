"""The inventory lists every kind that is left, says with which command it goes, and names no stranger's thing."""

from types import SimpleNamespace

import openstack.exceptions
import pytest

from magflow.cloud.leftovers import KINDS, find
from magflow.cloud.ownership import Mark, Marks
from magflow.errors import MagflowError

ID = "5f9c0f6e-8c4e-4a5e-9d7e-0a1b2c3d4e5f"
STACK = "demo-abcdefghijkl"
PROJECT = "8f0e"
PEM = "-----BEGIN CERTIFICATE-----"
MARKS = Marks(
    (Mark(ID, "demo", STACK, PROJECT, groups=("gpu",), ca=PEM),),
    {"image": frozenset({"i1"}), "keypair": frozenset({"key"}), "cluster template": frozenset({"t1"})},
)
BY_PROVIDER = f"Created by cluster-api-provider-openstack cluster magnum-{PROJECT}-{STACK}"


def thing(id, name="", **fields):
    return SimpleNamespace(id=id, name=name, description=fields.pop("description", ""), **fields)


class Service:
    """A service whose lists are recorded; an exception in place of a list is raised."""

    def __init__(self, **lists):
        self._lists = lists

    def __getattr__(self, name):
        def answer(*_args, **_query):
            found = self._lists.get(name, [])
            if isinstance(found, Exception):
                raise found
            return found

        return answer


class Magnum(Service):
    def get(self, path, headers):
        return SimpleNamespace(status_code=200, json=lambda: {"clusters": self._lists.get("clusters", [])})


class Barbican(Service):
    def get(self, path, headers):
        return SimpleNamespace(status_code=200, text=self._lists["payloads"][path])


class Keystone(Service):
    def get_user(self, identifier):
        name = self._lists["users"].get(identifier)
        if name is None:
            raise openstack.exceptions.ForbiddenException("no")
        return SimpleNamespace(name=name)


SERVICES = {
    "container_infrastructure_management": Magnum,
    "compute": Service,
    "network": Service,
    "block_storage": Service,
    "shared_file_system": Service,
    "load_balancer": Service,
    "orchestration": Service,
    "identity": Keystone,
    "image": Service,
    "key_manager": Barbican,
}


def cloud(lacks=(), **services):
    things = {name: kind(**services.get(name, {})) for name, kind in SERVICES.items()}
    return SimpleNamespace(has_service=lambda kind: kind.replace("-", "_") not in lacks, current_user_id="u", **things)


TRUSTS = [
    SimpleNamespace(id="tr1", trustee_user_id="magnums"),
    SimpleNamespace(id="tr2", trustee_user_id="heats"),
]
FULL = {
    "container_infrastructure_management": {
        "clusters": [{"uuid": ID, "name": "demo"}, {"uuid": "other", "name": "demo"}],
        "cluster_templates": [thing("t1", "demo"), thing("t2", "demo")],
    },
    "orchestration": {"stacks": [thing(STACK, STACK, status="DELETE_FAILED"), thing("s2", STACK, status="X")]},
    "load_balancer": {
        "load_balancers": [
            thing("lb1", "kube", description=BY_PROVIDER, provisioning_status="ACTIVE"),
            thing("lb2", "kube", description=BY_PROVIDER, provisioning_status="DELETED"),
            thing("lb3", "kube", description=BY_PROVIDER + "2", provisioning_status="ACTIVE"),
        ]
    },
    "compute": {
        "servers": [thing("s1", f"{STACK}-gpu-abcde"), thing("s2", "demo-gpu-abcde")],
        "server_groups": [thing("sg1", f"{STACK}-gpu"), thing("sg2", "demo-gpu")],
        "keypairs": [thing("key", "key"), thing("key2", "key2")],
    },
    "network": {
        "ips": [thing("f1", "10.0.0.1", description=BY_PROVIDER), thing("f2", "10.0.0.2", description="demo")],
        "ports": [thing("p1", "x", description=BY_PROVIDER), thing("p2", f"{STACK}-gpu-abcde-0")],
        "routers": [thing("r1", f"k8s-clusterapi-cluster-magnum-{PROJECT}-{STACK}"), thing("r2", "demo")],
        "subnets": [thing("n1", f"k8s-clusterapi-cluster-magnum-{PROJECT}-{STACK}"), thing("n2", "demo")],
        "networks": [thing("w1", f"k8s-clusterapi-cluster-magnum-{PROJECT}-{STACK}"), thing("w2", "demo2")],
        "security_groups": [thing("g1", f"k8s-cluster-magnum-{PROJECT}-{STACK}-secgroup-worker"), thing("g2", "k8s")],
    },
    "block_storage": {
        "snapshots": [thing("c1", metadata={"cinder.csi.openstack.org/cluster": STACK}), thing("c2")],
        "volumes": [thing("v1", metadata={"cinder.csi.openstack.org/cluster": STACK}), thing("v2", metadata={})],
    },
    "shared_file_system": {
        "shares": [thing("m1", metadata={"manila.csi.openstack.org/cluster": STACK}), thing("m2", metadata=None)]
    },
    "image": {"images": [thing("i1", "ubuntu"), thing("i2", "ubuntu")]},
    "identity": {
        "application_credentials": [thing("a1", f"magnum-{ID}-00112233"), thing("a2", "magnum-demo")],
        "trusts": TRUSTS,
        "users": {"magnums": f"{ID}_{PROJECT}", "heats": "heat"},
    },
    "key_manager": {
        "containers": [
            SimpleNamespace(
                type=kind, name="demo", container_ref=ref, secret_refs=[{"name": "certificate", "secret_ref": secret}]
            )
            for kind, ref, secret in (("certificate", "b1", "ours"), ("certificate", "b2", "theirs"), ("rsa", "b3", ""))
        ],
        "payloads": {"ours/payload": PEM, "theirs/payload": "another"},
    },
}


def test_each_kind_is_found_once_beside_its_twin_in_the_order_to_delete_it():
    found = find(cloud(**FULL), MARKS)
    assert [thing.kind for thing in found.left] == [kind.name for kind in KINDS]
    twins = {"other", "t2", "s2", "lb2", "lb3", "sg2", "key2", "f2", "p2", "r2", "n2", "w2", "g2", "c2", "v2", "m2"}
    assert not {thing.id for thing in found.left} & (twins | {"i2", "a2", "tr2", "b2", "b3"})
    assert found.unseen == []
    for thing_left in found.left:
        assert thing_left.delete.startswith("openstack ")
        assert thing_left.id in thing_left.delete


def test_balancers_and_servers_go_before_networks_and_groups():
    names = [kind.name for kind in KINDS]
    order = ["cluster", "load balancer", "server", "floating IP", "port", "router", "subnet", "network"]
    assert [name for name in names if name in order] == order
    assert names.index("port") < names.index("security group")
    assert names.index("volume snapshot") < names.index("volume")


def test_nothing_left_names_the_services_looked_into():
    found = find(cloud(lacks={"load_balancer", "key_manager", "orchestration", "shared_file_system"}), MARKS)
    assert found.left == []
    assert found.looked == ["magnum", "nova", "neutron", "cinder", "glance", "keystone"]


def test_what_may_not_be_listed_is_told_and_not_taken_for_gone():
    forbidden = openstack.exceptions.ForbiddenException("you may not")
    found = find(cloud(network={"security_groups": forbidden}), MARKS)
    assert found.unseen == ["security group"]


def test_trusts_whose_trustees_cannot_be_read_are_told():
    found = find(cloud(identity={"trusts": TRUSTS, "users": {"heats": "heat"}}), MARKS)
    assert found.unseen == ["trust (this user may not read the names of trustees)"]
    assert found.left == []


def test_a_service_that_does_not_answer_proves_nothing():
    broken = openstack.exceptions.SDKException("503")
    with pytest.raises(MagflowError, match="503"):
        find(cloud(block_storage={"volumes": broken}), MARKS)
