"""Which node belongs to which group, for each driver's way of saying so."""

import pytest

from magflow.kube.nodes import by_group, group_of, is_control_plane, name, natural

GROUPS = ("default-worker", "gpu", "gpu-large")


def node(called, **labels):
    return {"metadata": {"name": called, "labels": labels}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (node("demo-x-md-0-abc", **{"capi.stackhpc.com/node-group": "gpu"}), "gpu"),
        (node("anything", **{"magnum.openstack.org/nodegroup": "default-worker"}), "default-worker"),
        (node("anything", **{"node.cluster.x-k8s.io/nodegroup": "gpu"}), "gpu"),
        # a label decides, even when the name would say something else
        (node("demo-x-gpu-abc", **{"capi.stackhpc.com/node-group": "another"}), None),
        (node("demo-x7k2-gpu-abcde-fghij"), "gpu"),
        (node("demo-x7k2-gpu-large-abcde-fghij"), "gpu-large"),
        (node("demo-x7k2-default-worker-abcde"), "default-worker"),
        (node("demo-x7k2-minion-0"), "default-worker"),
        (node("demo-x7k2-node-3"), "default-worker"),
        (node("demo-x7k2-control-plane-gpu-0"), None),
        (node("other-x7k2-gpu-0"), None),
    ],
)
def test_group(given, expected):
    assert group_of(given, GROUPS, "demo") == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (node("demo-x-control-plane-abc"), True),
        (node("demo-x-master-0"), True),
        (node("a", **{"node-role.kubernetes.io/control-plane": ""}), True),
        (node("demo-master-of-puppets"), True),
        (node("demo-x-gpu-0"), False),
    ],
)
def test_control_plane(given, expected):
    assert is_control_plane(given) is expected


def test_natural_order():
    assert [name(n) for n in sorted([node("n-10"), node("n-2"), node("m")], key=natural)] == ["m", "n-2", "n-10"]


def test_groups_without_nodes_are_told():
    assert by_group([node("demo-a-gpu-0")], ["gpu", "empty"], "demo") == {"gpu": [node("demo-a-gpu-0")], "empty": []}
