"""After a crash the state is brought to what Magnum has; nothing of strangers is taken over."""

from types import SimpleNamespace

import pytest

from magflow.engine.plan import PlanSummary, ResourceChange
from magflow.engine.stack.recovery import CLUSTER, NODE_GROUP, TAINTED, Recovery
from magflow.errors import MagflowError


class Magnum:
    """Lists clusters and node groups; every listing moves a status on, if more are given."""

    def __init__(self, clusters, groups=()):
        self.clusters, self.groups = clusters, list(groups)

    def get(self, path, headers):
        key = path.rpartition("/")[2]
        things = []
        for thing in self.clusters if key == "clusters" else self.groups:
            statuses = thing["statuses"]
            status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
            things.append({**thing, "status": status, "status_reason": "because"})
        return SimpleNamespace(status_code=200, json=lambda: {key: things})


class State:
    def __init__(self):
        self.done = []

    def adopt(self, address, identifier):
        self.done.append(("adopt", address, identifier))

    def untaint(self, address):
        self.done.append(("untaint", address))


def change(action, kind=CLUSTER, name="demo", reason=None):
    return PlanSummary((ResourceChange(f"a.{name}", kind, name, action, reason, ()),), (), ())


def thing(*statuses, name="demo", uuid="u1"):
    return {"name": name, "uuid": uuid, "statuses": list(statuses)}


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch):
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _seconds: None)


def settle(plan, clusters, groups=(), interrupted=True):
    state = State()
    cloud = SimpleNamespace(container_infrastructure_management=Magnum(clusters, groups))
    recovery = Recovery(state, cloud, "demo", patience=1, interrupted=interrupted, tell=lambda _words: None)
    return recovery.settle(plan), state.done


def test_an_interrupted_creation_that_magnum_finished_is_kept():
    cluster = thing("CREATE_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE")
    assert settle(change("replace", reason=TAINTED), [cluster]) == (True, [("untaint", "a.demo")])


def test_one_that_failed_is_left_to_be_made_anew():
    assert settle(change("replace", reason=TAINTED), [thing("CREATE_FAILED")]) == (False, [])


def test_a_replacement_for_another_reason_is_not_touched():
    assert settle(change("replace"), [thing("CREATE_COMPLETE")]) == (False, [])


def test_a_cluster_that_terraform_forgot_is_taken_over():
    assert settle(change("create"), [thing("CREATE_COMPLETE")]) == (True, [("adopt", "a.demo", "u1")])


def test_a_node_group_that_terraform_forgot_is_taken_over():
    groups = [thing("CREATE_COMPLETE", name="gpu", uuid="g1")]
    plan = change("create", NODE_GROUP, "gpu")
    assert settle(plan, [thing("CREATE_COMPLETE")], groups) == (True, [("adopt", "a.gpu", "u1/g1")])


def test_a_strangers_cluster_is_not_taken_over():
    with pytest.raises(MagflowError, match="this environment did not make it"):
        settle(change("create"), [thing("CREATE_COMPLETE")], interrupted=False)


def test_two_of_one_name_are_told():
    clusters = [thing("CREATE_COMPLETE"), thing("CREATE_COMPLETE", uuid="u2")]
    with pytest.raises(MagflowError, match="Magnum has 2 of cluster 'demo'"):
        settle(change("create"), clusters)


def test_nothing_there_is_nothing_to_mend():
    assert settle(change("create"), [thing("CREATE_COMPLETE", name="other")]) == (False, [])
