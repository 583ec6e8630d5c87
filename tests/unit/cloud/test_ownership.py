"""Each kind of thing beside a stranger's twin: ours is known by the exact name that drivers give, the twin is not."""

from types import SimpleNamespace

import pytest

from magflow.cloud.ownership import CINDER_CLUSTER, MANILA_CLUSTER, Mark, Marks, belongs

ID = "5f9c0f6e-8c4e-4a5e-9d7e-0a1b2c3d4e5f"
PROJECT = "8f0e1d2c3b4a59687766554433221100"
STACK = "demo-abcdefghijkl"
CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
MARK = Mark(ID, "demo", STACK, PROJECT, stack_name=STACK, groups=("default-worker", "gpu"), ca=CA)
RESOURCE = f"magnum-{PROJECT}-{STACK}"
BY_PROVIDER = "Created by cluster-api-provider-openstack cluster "

OTHERS = f"{STACK}-2-mnopqrstuvwx"
"""The stack of a cluster that somebody named after ours, with ours as its beginning."""

CASES = [
    # kind, ours, twins
    ("cluster", {"id": ID, "name": "demo"}, [{"id": "other", "name": "demo"}, {"id": f"{ID}2", "name": "demo2"}]),
    ("stack", {"id": STACK, "name": STACK}, [{"id": OTHERS, "name": OTHERS}, {"name": STACK}]),
    (
        "server",
        {"name": f"{STACK}-gpu-x7f2k-9qwer"},
        [{"name": f"{OTHERS}-gpu-x7f2k-9qwer"}, {"name": "demo-gpu-x7f2k"}, {"name": f"{STACK}-mine"}],
    ),
    ("server", {"name": f"{STACK}-control-plane-x7f2k"}, [{"name": f"my-{STACK}-control-plane-x7f2k"}]),
    ("server", {"name": f"{STACK}-node-0"}, [{"name": f"{STACK}-node-0-backup"}, {"name": f"{OTHERS}-node-0"}]),
    (
        "load balancer",
        {"description": BY_PROVIDER + RESOURCE},
        [{"description": f"{BY_PROVIDER}magnum-{PROJECT}-{OTHERS}"}, {"description": "web of demo"}],
    ),
    (
        "load balancer",
        {"description": f"Kubernetes external service kubeflow/istio from cluster {STACK}"},
        [
            {"description": f"Kubernetes external service kubeflow/istio from cluster {OTHERS}"},
            {"description": "Kubernetes external service kubeflow/istio from cluster demo"},
            {"description": "Kubernetes external service kubeflow/istio from cluster kubernetes"},
        ],
    ),
    (
        "load balancer",
        {"description": f"Kubernetes Ingress web in namespace x from cluster {ID}, version: 17"},
        [{"description": f"Kubernetes Ingress web in namespace x from cluster {ID}0, version: 17"}],
    ),
    (
        "floating IP",
        {"description": f"Floating IP for Kubernetes external service a/b from cluster {ID}"},
        [{"description": "Floating IP for Kubernetes external service a/b from cluster kubernetes"}, {}],
    ),
    ("floating IP", {"description": BY_PROVIDER + RESOURCE}, [{"description": f"{BY_PROVIDER}other-{STACK}"}]),
    (
        "port",
        {"description": BY_PROVIDER + RESOURCE},
        [{"description": f"{BY_PROVIDER}magnum-{PROJECT}-{OTHERS}"}, {"name": f"{STACK}-gpu-x7f2k-0"}],
    ),
    *[
        (
            kind,
            {"name": f"k8s-clusterapi-cluster-{RESOURCE}"},
            [
                {"name": f"k8s-clusterapi-cluster-magnum-{PROJECT}-{OTHERS}"},
                {"name": f"k8s-clusterapi-cluster-magnum-{'0' * 32}-{STACK}"},
                {"name": "demo"},
                {"name": "demo-old"},
            ],
        )
        for kind in ("network", "subnet", "router")
    ],
    ("network", {"name": f"k8s-clusterapi-cluster-magnum-system-{STACK}"}, [{"name": f"k8s-{STACK}"}]),
    (
        "security group",
        {"name": f"k8s-cluster-{RESOURCE}-secgroup-worker"},
        [
            {"name": f"k8s-cluster-magnum-{PROJECT}-{OTHERS}-secgroup-worker"},
            {"name": f"k8s-cluster-{RESOURCE}-secgroup-mine"},
        ],
    ),
    (
        "security group",
        {"description": f"Security Group for a/b Service LoadBalancer in cluster {STACK}"},
        [{"description": "Security Group for a/b Service LoadBalancer in cluster demo"}],
    ),
    (
        "volume",
        {"name": "pvc-1", "metadata": {CINDER_CLUSTER: STACK}},
        [
            {"name": "pvc-2", "metadata": {CINDER_CLUSTER: "kubernetes"}},
            {"name": "pvc-3", "metadata": {CINDER_CLUSTER: OTHERS}},
            {"name": "pvc-4", "metadata": {"note": STACK}},
        ],
    ),
    (
        "volume",
        {"description": f"Root volume for {STACK}-gpu-x7f2k-9qwer"},
        [{"description": f"Root volume for {OTHERS}-gpu-x7f2k-9qwer"}],
    ),
    ("volume snapshot", {"metadata": {CINDER_CLUSTER: ID}}, [{"metadata": {CINDER_CLUSTER: f"{ID}2"}}, {}]),
    ("share", {"metadata": {MANILA_CLUSTER: STACK}}, [{"metadata": {MANILA_CLUSTER: OTHERS}}, {"name": STACK}]),
    ("server group", {"name": f"{STACK}-gpu"}, [{"name": f"{OTHERS}-gpu"}, {"name": "demo-gpu"}, {"name": "gpu"}]),
    ("server group", {"name": STACK}, [{"name": OTHERS}]),
    (
        "application credential",
        {"name": f"magnum-{ID}-0a1b2c3d"},
        [{"name": f"magnum-{ID}2-0a1b2c3d"}, {"name": f"magnum-{ID}"}, {"name": "magnum-demo"}],
    ),
    ("application credential", {"name": ID}, [{"name": f"{ID}-backup"}]),
    ("trust", {"trustee_name": f"{ID}_{PROJECT}"}, [{"trustee_name": f"{ID}_{'0' * 32}"}, {"trustee_name": ""}]),
    ("secret container", {"name": "demo", "certificate": CA.strip()}, [{"name": "demo", "certificate": "other"}]),
]


def thing(fields):
    return SimpleNamespace(**{"id": "1", "name": "", **fields})


@pytest.mark.parametrize(("kind", "ours", "twins"), CASES, ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)])
def test_ours_is_known_and_no_twin_is(kind, ours, twins):
    assert belongs(kind, thing(ours), MARK)
    assert [twin for twin in twins if belongs(kind, thing(twin), MARK)] == []


@pytest.mark.parametrize("kind", sorted({case[0] for case in CASES} - {"cluster"}))
def test_a_cluster_of_which_only_the_id_is_known_claims_nothing_by_empty_names(kind):
    bare = Mark(ID)
    strange = {"name": "", "description": "", "metadata": {}, "trustee_name": "", "certificate": ""}
    assert not belongs(kind, thing(strange), bare)


def test_a_long_name_is_cut_and_still_known():
    stack = "a-cluster-with-quite-a-long-na-abcdefghijkl"
    mark = Mark(ID, "x", stack, PROJECT, groups=("preemptible-batch",))
    assert belongs("server", thing({"name": f"{stack}-preemptible-bat9qwer"}), mark)
    assert not belongs("server", thing({"name": f"{stack}-other-bat9qwer"}), mark)


def test_an_id_that_was_named_as_ours_counts_for_its_kind_alone():
    marks = Marks(made={"volume": frozenset({"v1"})})
    assert marks.own("volume", thing({"id": "v1"}))
    assert not marks.own("volume", thing({"id": "v2"}))
    assert not marks.own("network", thing({"id": "v1"}))


def test_a_trust_is_known_by_the_trustee_that_the_stack_named_where_no_name_can_be_read():
    marks = Marks(made={"trustee": frozenset({"u1"})})
    assert marks.own("trust", thing({"trustee_id": "u1", "trustee_name": ""}))
    assert not marks.own("trust", thing({"trustee_id": "u2", "trustee_name": ""}))


def test_marks_survive_the_journal_and_keep_what_a_half_deleted_cluster_does_not_tell():
    first = Marks((MARK,), {"image": frozenset({"i1"})})
    again = Marks.of(first.as_dict())
    assert again == first
    merged = again | Marks((Mark(ID, "demo", STACK),), {"image": frozenset({"i2"})})
    assert merged.clusters == (MARK,)
    assert merged.made["image"] == {"i1", "i2"}
