"""The wait for a cluster, and its facts, from Magnum's answers."""

from types import SimpleNamespace

import pytest

from magflow.cloud import live_facts, magnum
from magflow.errors import CannotTell, MagflowError

CLUSTER = {
    "uuid": "c1",
    "name": "demo",
    "status": "CREATE_COMPLETE",
    "cluster_template_id": "t1",
    "api_address": "https://192.0.2.1:6443",
    "coe_version": "v1.36.3",
    "master_addresses": ["192.0.2.1"],
    "node_addresses": None,
}
GROUPS = [
    {"uuid": "g0", "name": "default-master", "role": "master", "flavor_id": "bm.control", "node_count": 1},
    {"uuid": "g1", "name": "default-worker", "role": "worker", "flavor_id": "bm.gpu4", "node_count": 2},
]


class Clock(live_facts.Patience):
    """Patience whose sleeps take no time."""

    def __init__(self, seconds):
        self.slept = 0.0
        super().__init__(seconds, self.skip, lambda: self.slept)

    def skip(self, seconds):
        self.slept += seconds


@pytest.fixture
def answers(monkeypatch):
    """Magnum's answers to one look after another; the last one stays."""

    def give(*looks):
        left = list(looks)
        monkeypatch.setattr(magnum, "show", lambda _cloud, _name: left.pop(0) if len(left) > 1 else left[0])

    return give


def status(word, reason=None):
    return CLUSTER | {"status": word, "status_reason": reason}


def test_a_cluster_is_waited_for(answers):
    answers(status("CREATE_IN_PROGRESS"), status("CREATE_IN_PROGRESS"), CLUSTER)
    clock = Clock(60)
    assert live_facts.complete(None, "demo", clock) == CLUSTER
    assert clock.slept == 2 * live_facts.PAUSE


def test_a_failure_ends_the_wait_at_once_with_magnums_reason(answers):
    answers(status("CREATE_FAILED", "Minimum 2048 MB required"))
    with pytest.raises(MagflowError, match="'demo' is CREATE_FAILED: Minimum 2048 MB required"):
        live_facts.complete(None, "demo", Clock(60))


def test_no_cluster_is_no_wait(answers):
    answers(None)
    with pytest.raises(MagflowError, match="Magnum has no cluster 'demo'"):
        live_facts.complete(None, "demo", Clock(60))


def test_patience_ends(answers):
    answers(status("CREATE_IN_PROGRESS"))
    clock = Clock(12)
    with pytest.raises(CannotTell, match="still CREATE_IN_PROGRESS after 12 s"):
        live_facts.complete(None, "demo", clock)
    assert clock.slept == 15


def test_a_removal_is_waited_for_and_its_failure_told(answers):
    answers(status("DELETE_IN_PROGRESS"), None)
    live_facts.gone(None, "demo", Clock(60))
    answers(CLUSTER, status("DELETE_FAILED", "a load balancer is in the way"))
    with pytest.raises(MagflowError, match="a load balancer is in the way"):
        live_facts.gone(None, "demo", Clock(60))


def cloud(*names):
    made_from = SimpleNamespace(
        id="t1",
        image_id="i1",
        external_network_id="n1",
        fixed_network=None,
        fixed_subnet=None,
        labels={"a": "b"},
    )
    templates = [
        SimpleNamespace(id=f"t{number}", name=name, to_dict=lambda computed, number=number: {"id": f"t{number}"})
        for number, name in enumerate(names)
    ]
    specs = {"bm.control": {}, "bm.gpu4": {"magflow:gpus": "4"}}
    return SimpleNamespace(
        container_infrastructure_management=SimpleNamespace(
            get_cluster_template=lambda _id: made_from, cluster_templates=lambda: iter(templates)
        ),
        compute=SimpleNamespace(find_flavor=lambda name, get_extra_specs: SimpleNamespace(extra_specs=specs[name])),
    )


def test_facts_are_those_of_the_stack(monkeypatch):
    monkeypatch.setattr(magnum, "show_node_groups", lambda _cloud, _id: GROUPS)
    facts = live_facts.facts(cloud(), CLUSTER)
    assert (facts.main, facts.cluster.id, facts.template_id, facts.labels_sent) == ("demo", "c1", "t1", {"a": "b"})
    assert facts.network.external == "n1"
    groups = {name: (group.gpus, group.count, group.addresses) for name, group in facts.node_groups.items()}
    assert groups == {"default-master": (0, 1, ["192.0.2.1"]), "default-worker": (4, 2, [])}


def test_an_answer_without_an_address_is_told(monkeypatch):
    monkeypatch.setattr(magnum, "show_node_groups", lambda _cloud, _id: GROUPS)
    with pytest.raises(MagflowError, match="api_address"):
        live_facts.facts(cloud(), CLUSTER | {"api_address": None})


def test_a_template_is_found_by_name():
    assert live_facts.template(cloud("other", "demo"), "demo") == {"id": "t1"}
    assert live_facts.template(cloud("other"), "demo") is None
    with pytest.raises(MagflowError, match="2 cluster templates have the name 'demo'"):
        live_facts.template(cloud("demo", "demo"), "demo")
