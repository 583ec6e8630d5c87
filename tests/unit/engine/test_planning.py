"""The plan of an environment is that of all its stacks, examined as one."""

import pytest

from magflow import stages
from magflow.engine.plan import PlanSummary, ResourceChange
from magflow.engine.plan import environment as planning
from magflow.engine.plan.shown import Plan
from magflow.errors import CannotTell, MagflowError


def change(address, action, kind="openstack_images_image_v2"):
    return ResourceChange(address, kind, address, action, None, ())


@pytest.fixture
def plans(monkeypatch, sandbox):
    """Plans an environment whose stacks have these plans, or fail."""

    def run(image, cluster, allow=()):
        class Stack:
            def __init__(self, name):
                self.answer = {"image": image, "cluster": cluster}[name]

            def init(self):
                pass

            def plan(self):
                if isinstance(self.answer, Exception):
                    raise self.answer
                return Plan(PlanSummary(tuple(self.answer), (), ()))

        monkeypatch.setattr(planning, "open_stack", lambda name, _run, _settings: Stack(name))
        monkeypatch.setattr(stages, "enabled", lambda _settings: stages.STAGES)
        return planning.plan(sandbox, None, allow)

    return run


def test_the_changes_of_all_stacks_in_order(plans):
    found = plans([change("image", "create")], [change("cluster", "create")])
    assert [one.address for one in found.found.changes] == ["image", "cluster"]
    assert found.findings == ()


def test_what_is_allowed_may_be_in_any_of_them(plans):
    kind = "openstack_containerinfra_nodegroup_v1"
    found = plans([], [change("a.b", "delete", kind)], allow=["a.b"])
    assert [finding.code for finding in found.findings] == ["PLAN_DELETES_NODEGROUP"]
    assert str(found.findings[0].severity) == "warning"


def test_a_stack_that_needs_what_is_yet_to_be_made(plans):
    missing = MagflowError("the cloud has no image 'x' that this project may use")
    with pytest.raises(CannotTell, match="cannot be planned before image is there: the cloud has no image"):
        plans([change("image", "create")], missing)
    with pytest.raises(MagflowError, match=r"^the cloud has no image") as found:
        plans([], missing)
    assert found.value.exit_code == 1
