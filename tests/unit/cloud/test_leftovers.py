"""What is left of a cluster is found by ids anywhere and by exact names; strangers' things are not."""

from types import SimpleNamespace

from magflow.cloud.leftovers import find

CLUSTER = "5f9c0f6e-8c4e-4a5e-9d7e-0a1b2c3d4e5f"


class Things:
    """A service that lists the same things whatever it is asked for."""

    def __init__(self, **lists):
        self._lists = lists

    def __getattr__(self, name):
        return lambda *args, **kwargs: self._lists.get(name, [])


class Magnum(Things):
    """Its clusters are asked for by path."""

    def get(self, path, headers):
        clusters = [{"uuid": item.id, "name": item.name} for item in self._lists.get("clusters", [])]
        return SimpleNamespace(status_code=200, json=lambda: {"clusters": clusters})


def thing(id, name, **fields):
    return SimpleNamespace(id=id, name=name, **fields)


def cloud(**services):
    things = {"current_user_id": "u"}
    for name in (
        "container_infrastructure_management",
        "compute",
        "network",
        "block_storage",
        "load_balancer",
        "identity",
    ):
        kind = Magnum if name.startswith("container") else Things
        things[name] = kind(**services.get(name, {}))
    return SimpleNamespace(has_service=lambda kind: kind != "load-balancer", **things)


def test_ids_are_found_in_names_tags_and_metadata():
    network = {
        "ports": [thing("p1", "node-0", tags=[f"cluster-{CLUSTER}"]), thing("p2", "other", tags=["x"])],
        "security_groups": [thing("s1", f"k8s-cluster-{CLUSTER}-secgroup-worker")],
    }
    volumes = {"volumes": [thing("v1", "pvc-1", metadata={"cluster": CLUSTER})]}
    left, looked = find(cloud(network=network, block_storage=volumes), [CLUSTER])
    assert [str(item) for item in left] == [
        "neutron port node-0 (p1)",
        f"neutron security group k8s-cluster-{CLUSTER}-secgroup-worker (s1)",
        "cinder volume pvc-1 (v1)",
    ]
    assert "octavia" not in looked


def test_a_short_name_counts_only_when_it_is_exact():
    magnum = {"clusters": [thing("c1", "demo"), thing("c2", "demo-of-somebody-else")]}
    left, _ = find(cloud(container_infrastructure_management=magnum), ["demo"])
    assert [item.id for item in left] == ["c1"]


def test_nothing_left_names_the_services_looked_into():
    left, looked = find(cloud(), [CLUSTER, "demo"])
    assert left == []
    assert looked == ["magnum", "nova", "neutron", "cinder", "keystone"]
