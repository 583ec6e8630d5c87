"""Lists of Magnum: its own race is waited for, other answers are passed on."""

from types import SimpleNamespace

import pytest

from magflow.cloud import magnum
from magflow.errors import MagflowError

RACE = SimpleNamespace(status_code=400, text='{"faultstring": "Invalid input for field/attribute master_count"}')
GOOD = SimpleNamespace(status_code=200, json=lambda: {"clusters": [{"uuid": "u1", "name": "demo", "status": None}]})


def cloud(*answers):
    left = list(answers)
    service = SimpleNamespace(get=lambda path, headers: left.pop(0) if len(left) > 1 else left[0])
    return SimpleNamespace(container_infrastructure_management=service)


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch):
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _seconds: None)


def test_a_half_deleted_cluster_is_waited_for():
    assert [held.name for held in magnum.clusters(cloud(RACE, RACE, GOOD))] == ["demo"]


def test_other_refusals_are_passed_on_at_once():
    refusal = SimpleNamespace(status_code=403, text="Policy doesn't allow certificate:create")
    with pytest.raises(MagflowError, match="Magnum answered 403: Policy doesn't allow"):
        magnum.clusters(cloud(refusal, GOOD))


def test_what_magnum_leaves_out_is_empty():
    assert magnum.clusters(cloud(GOOD)) == [magnum.Held(id="u1", name="demo", status="UNKNOWN")]
