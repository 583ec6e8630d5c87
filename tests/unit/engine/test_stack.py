"""A plan in words: a line a change, and a summary."""

from magflow.engine.plan import AttributeChange, PlanSummary, ResourceChange
from magflow.engine.run_folder import RunFolder
from magflow.engine.stack import Plan, stacks_to_destroy

CLUSTER = "module.stack.module.cluster.openstack_containerinfra_cluster_v1.this"


def plan(action, *attributes):
    change = ResourceChange(CLUSTER, "openstack_containerinfra_cluster_v1", "demo", action, None, attributes)
    return Plan(PlanSummary((change,), (), ()))


def test_lines_say_what_changes():
    found = plan("update", AttributeChange("node_count", 1, 3))
    assert found.lines() == [f"~ {CLUSTER}: node_count (1 -> 3)"]
    assert found.summary == "1 updated"


def test_a_replacement_tells_what_forces_it_alone():
    changes = (AttributeChange("id", "c1", "(known after apply)"), AttributeChange("flavor", "a", "b", True))
    assert plan("replace", *changes).lines() == [f"-/+ {CLUSTER}: flavor (a -> b)"]


def test_stacks_go_in_the_order_opposite_to_their_making(sandbox, tmp_path):
    run = RunFolder("env", tmp_path)
    assert stacks_to_destroy(run, sandbox.settings) == ("cluster",)
    with_file = sandbox.settings.image.model_copy(update={"file": tmp_path / "node.img"})
    assert stacks_to_destroy(run, sandbox.settings.model_copy(update={"image": with_file})) == ("cluster", "image")
    run.stack("image").mkdir(parents=True)
    (run.stack("image") / "main.tf").touch()
    assert stacks_to_destroy(run, sandbox.settings) == ("cluster", "image"), "made by settings of before"
