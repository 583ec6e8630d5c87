"""The plan guard, rule by rule and both ways: what stops a plan, and the change beside it that does not."""

import json

import pytest

from magflow.engine.plan import guard, summarize
from magflow.engine.plan.shown import Plan
from magflow.errors import MagflowError

KIND = {
    "cluster": "openstack_containerinfra_cluster_v1",
    "group": "openstack_containerinfra_nodegroup_v1",
    "template": "openstack_containerinfra_clustertemplate_v1",
    "keypair": "openstack_compute_keypair_v2",
}
REPLACE = ["delete", "create"]


def thing(kind, before, after, actions=("update",), forces=(), address=None, **more):
    """One entry of resource_changes."""
    name = (before or after)["name"]
    return {
        "address": address or f"{KIND[kind]}.{name}",
        "mode": "managed",
        "type": KIND[kind],
        "name": name,
        "change": {
            "actions": list(actions),
            "before": before,
            "after": after,
            "replace_paths": [[path] for path in forces],
            **more.pop("change", {}),
        },
        **more,
    }


def cluster(name="demo", **values):
    return {"id": f"id-{name}", "name": name, "cluster_template_id": "t1", "node_count": 1, "labels": {}} | values


def template(name="t", **values):
    return {"id": "t1", "name": name, "flavor": "m1", "labels": {"a": "1", "b": "2"}} | values


def group(name="gpu", **values):
    return {"id": f"id-demo/{name}", "name": name, "cluster_id": "id-demo", "node_count": 2, "labels": {}} | values


def still(kind, values):
    return thing(kind, values, values, ["no-op"])


def look(*entries, allow=(), drift=(), **options):
    plan = summarize({"resource_changes": list(entries), "resource_drift": list(drift)})
    return guard.examine(plan, allow, **options)


def said(found):
    return [(finding.code, str(finding.severity)) for finding in found]


def relabelled(before="3", after="6", **options):
    labels = {"auto_scaling_enabled": "true", "max_node_count": before}
    return thing(
        "cluster", cluster(labels=labels), cluster(labels=labels | {"max_node_count": after}), REPLACE, ["labels"]
    )


def test_a_label_that_replaces_the_cluster_is_named_with_both_values():
    (finding,) = look(relabelled())
    assert said([finding]) == [("PLAN_REPLACES_CLUSTER", "error")]
    assert finding.path == "openstack_containerinfra_cluster_v1.demo"
    assert finding.message == "the plan would replace cluster 'demo': labels.max_node_count (3 -> 6)"
    assert "cluster_template_id" in finding.hint and "max_node_count" in finding.hint
    assert finding.hint.endswith("--allow openstack_containerinfra_cluster_v1.demo")


def test_the_allowed_one_passes_and_is_told():
    (finding,) = look(relabelled(), allow=["openstack_containerinfra_cluster_v1.demo"])
    assert said([finding]) == [("PLAN_REPLACES_CLUSTER", "warning")]
    assert finding.message.endswith("(allowed)")


def test_nothing_else_is_let_through():
    other = thing("cluster", cluster("other"), None, ["delete"])
    found = look(relabelled(), other, allow=["openstack_containerinfra_cluster_v1.other"])
    assert said(found) == [("PLAN_REPLACES_CLUSTER", "error"), ("PLAN_DELETES_CLUSTER", "warning")]


@pytest.mark.parametrize("address", ["openstack_containerinfra_cluster_v1", "demo", "*", ""])
def test_only_an_exact_address_lets_through(address):
    found = look(relabelled(), allow=[address])
    assert said(found) == [("PLAN_REPLACES_CLUSTER", "error"), ("ALLOW_MATCHES_NOTHING", "warning")]


@pytest.mark.parametrize(
    "change",
    [
        {"node_count": 3},
        {"cluster_template_id": "t2"},
    ],
)
def test_what_changes_in_place_passes(change):
    assert look(thing("cluster", cluster(), cluster(**change))) == ()


def test_growing_an_autoscaled_cluster_passes():
    labels = {"auto_scaling_enabled": "true"}
    assert look(thing("cluster", cluster(labels=labels), cluster(labels=labels, node_count=3))) == ()


def test_another_flavor_points_to_a_node_group():
    (finding,) = look(thing("cluster", cluster(flavor="a"), cluster(flavor="b"), REPLACE, ["flavor"]))
    assert "flavor (a -> b)" in finding.message
    assert finding.hint.startswith("add a node group of that flavor")


def test_a_mix_of_attributes_tells_every_one():
    before, after = cluster(flavor="a", keypair="k"), cluster(flavor="b", keypair="l")
    (finding,) = look(thing("cluster", before, after, REPLACE, ["flavor", "keypair"]))
    assert "flavor (a -> b), keypair (k -> l)" in finding.message
    assert "second cluster" in finding.hint


def test_a_long_list_is_cut():
    labels = {f"label_{number}": "1" for number in range(30)}
    (finding,) = look(thing("cluster", cluster(labels=labels), cluster(labels=None), REPLACE, ["labels"]))
    assert finding.message.endswith("label_13 (1 -> absent), and 24 more")


def test_a_deleted_cluster_stops_with_the_reason():
    entry = thing("cluster", cluster(), None, ["delete"], action_reason="delete_because_each_key")
    (finding,) = look(entry)
    assert said([finding]) == [("PLAN_DELETES_CLUSTER", "error")]
    assert finding.message == "the plan would delete cluster 'demo': its key is gone from for_each"


def test_a_cluster_that_only_moved_is_told_how_to_say_so():
    gone = thing("cluster", cluster(), None, ["delete"])
    come = thing("cluster", None, cluster(), ["create"], address='module.cluster["demo"].this')
    (finding,) = look(gone, come)
    assert 'moved { from = openstack_containerinfra_cluster_v1.demo, to = module.cluster["demo"].this }' in finding.hint


def test_an_address_with_brackets_is_quoted_for_the_shell():
    address = 'module.cluster["demo"].openstack_containerinfra_cluster_v1.this'
    (finding,) = look(thing("cluster", cluster(), None, ["delete"], address=address))
    assert finding.hint.endswith(f"--allow '{address}'")
    assert said(look(thing("cluster", cluster(), None, ["delete"], address=address), allow=[address])) == [
        ("PLAN_DELETES_CLUSTER", "warning")
    ]


@pytest.mark.parametrize("broken", [True, False])
def test_a_tainted_cluster_stops_unless_magnum_was_asked(broken):
    entry = thing("cluster", cluster(), cluster(), REPLACE, action_reason="replace_because_tainted")
    found = look(entry, tainted_is_broken=broken)
    assert said(found) == ([] if broken else [("PLAN_REPLACES_CLUSTER", "error")])


def test_replacing_a_node_group_stops():
    (finding,) = look(thing("group", group(flavor_id="a"), group(flavor_id="b"), REPLACE, ["flavor_id"]))
    assert said([finding]) == [("PLAN_REPLACES_NODEGROUP", "error")]
    assert "flavor_id (a -> b)" in finding.message and "second node group" in finding.hint


def test_a_node_group_that_goes_with_its_cluster_says_so():
    entry = thing(
        "group",
        group(),
        group(cluster_id=None),
        REPLACE,
        ["cluster_id"],
        change={"after_unknown": {"cluster_id": True}},
    )
    found = look(relabelled(), entry)
    assert said(found) == [("PLAN_REPLACES_CLUSTER", "error"), ("PLAN_REPLACES_NODEGROUP", "error")]
    assert found[1].hint.startswith("it goes because its cluster is replaced")


def test_deleting_a_node_group_stops_and_resizing_does_not():
    assert said(look(thing("group", group(), None, ["delete"]))) == [("PLAN_DELETES_NODEGROUP", "error")]
    bounds = {"node_count": 1, "min_node_count": 0, "max_node_count": 4}
    assert look(thing("group", group(), group(**bounds))) == ()


@pytest.mark.parametrize("actions", [REPLACE, ["create", "delete"], ["delete"]])
def test_other_kinds_may_come_and_go(actions):
    pair = {"name": "k", "id": "k"}
    assert look(thing("keypair", pair, None if actions == ["delete"] else pair, actions)) == ()


def scaled(before, after, labels=None, drift=None, kind="cluster", **values):
    make = {"cluster": cluster, "group": group}[kind]
    entry = thing(
        kind, make(node_count=before, labels=labels or {}, **values), make(node_count=after, labels=labels or {})
    )
    drifted = [] if drift is None else [thing(kind, make(node_count=drift), make(node_count=before))]
    return {"entry": entry, "drift": drifted}


ON = {"auto_scaling_enabled": "True"}


def test_a_count_below_the_autoscaler_s_stops():
    case = scaled(6, 2, ON, drift=2)
    (finding,) = look(case["entry"], drift=case["drift"])
    assert said([finding]) == [("AUTOSCALER_CONFLICT", "error")]
    assert "configured 2, live 6" in finding.message
    assert "ignore_changes = [node_count]" in finding.hint


def test_without_drift_the_state_has_seen_it_already():
    assert said(look(scaled(6, 2, ON)["entry"])) == [("AUTOSCALER_CONFLICT", "error")]


def test_a_count_that_is_not_planned_is_no_conflict():
    case = scaled(6, 2, ON, drift=2)
    assert look(still("cluster", cluster(node_count=6, labels=ON)), drift=case["drift"]) == ()


def test_an_autoscaler_that_took_nodes_away_is_a_warning():
    case = scaled(1, 3, ON, drift=3)
    assert said(look(case["entry"], drift=case["drift"])) == [("AUTOSCALER_CONFLICT", "warning")]


@pytest.mark.parametrize("labels", [{}, {"auto_scaling_enabled": "false"}])
def test_without_an_autoscaler_shrinking_is_the_user_s_own(labels):
    case = scaled(6, 2, labels, drift=2)
    assert look(case["entry"], drift=case["drift"]) == ()


def test_a_node_group_is_scaled_by_its_cluster_s_label():
    entry = scaled(6, 2, kind="group")["entry"]
    assert said(look(entry, still("cluster", cluster(labels=ON)))) == [("AUTOSCALER_CONFLICT", "error")]
    assert look(entry, still("cluster", cluster())) == ()


def test_a_cluster_is_scaled_by_its_template_s_label():
    entry = scaled(6, 2)["entry"]
    assert said(look(entry, still("template", template(labels=ON)))) == [("AUTOSCALER_CONFLICT", "error")]
    assert look(entry, still("template", template())) == ()


def test_bounds_and_a_count_that_moved_by_itself_mean_an_autoscaler():
    case = scaled(6, 2, drift=2, kind="group", max_node_count=8)
    assert said(look(case["entry"], drift=case["drift"])) == [("AUTOSCALER_CONFLICT", "error")]
    assert look(case["entry"]) == ()


def test_a_template_in_use_is_not_changed_in_place():
    entry = thing("template", template(), template(flavor="m2"))
    (finding,) = look(entry, still("cluster", cluster("one")), still("cluster", cluster("two")))
    assert said([finding]) == [("TEMPLATE_IN_USE", "error")]
    assert "flavor (m1 -> m2)" in finding.message
    assert "used by 'one', 'two'" in finding.message
    assert "versioned name" in finding.hint


def test_a_template_that_nobody_uses_may_change():
    entry = thing("template", template(), template(flavor="m2", labels={}))
    assert look(entry, still("cluster", cluster(cluster_template_id="t2"))) == ()
    assert look(thing("template", template(), None, ["delete"])) == ()


@pytest.mark.parametrize(
    ("change", "stops"),
    [
        ({"hidden": True}, False),
        ({"name": "u"}, False),
        ({"updated_at": "later"}, False),
        ({"hidden": True, "name": "u"}, True),
    ],
)
def test_magnum_lets_one_of_a_few_things_change_in_use(change, stops):
    found = look(thing("template", template(), template() | change), still("cluster", cluster()))
    assert [finding.code for finding in found] == ["TEMPLATE_IN_USE"] * stops


def test_clusters_of_others_on_the_template_count_too():
    users = {"t1": {"id-demo": "demo", "id-other": "other"}}
    entry = thing("template", template(), template(flavor="m2"))
    assert look(entry, still("cluster", cluster()))[0].message.endswith("used by 'demo'")
    assert look(entry, still("cluster", cluster()), users=users)[0].message.endswith("used by 'demo', 'other'")
    successor = thing("template", template(), template(flavor="m2"), ["create", "delete"])
    (finding,) = look(successor, upgraded(), users=users)
    assert finding.code == "TEMPLATE_IN_USE" and finding.message.endswith("used by 'other'")
    assert look(successor, upgraded(), users={"t1": {"id-demo": "demo"}, "t2": {"x": "y"}}) == ()


def upgraded():
    return thing(
        "cluster",
        cluster(),
        cluster(cluster_template_id=None),
        change={"after_unknown": {"cluster_template_id": True}},
    )


def test_a_new_template_before_the_old_one_goes_passes():
    successor = thing("template", template(), template(labels={"a": "2", "b": "2"}), ["create", "delete"])
    assert look(successor, upgraded()) == ()


def test_a_template_that_goes_first_stops():
    entry = thing("template", template(), template(flavor="m2"), REPLACE, ["flavor"])
    (finding,) = look(entry, upgraded())
    assert said([finding]) == [("TEMPLATE_IN_USE", "error")]
    assert "would be deleted first" in finding.message


@pytest.mark.parametrize("actions", [["create", "delete"], ["delete"]])
def test_a_template_that_a_cluster_stays_on_stops(actions):
    entry = thing("template", template(), None if actions == ["delete"] else template(), actions)
    assert said(look(entry, still("cluster", cluster()))) == [("TEMPLATE_IN_USE", "error")]


def test_clusters_that_a_targeted_plan_leaves_out_count():
    values = {"address": "c.other", "mode": "managed", "type": KIND["cluster"], "name": "other"}
    module = {"child_modules": [{"resources": [values | {"values": cluster("other")}]}]}
    plan = summarize(
        {
            "resource_changes": [thing("template", template(), template(flavor="m2"))],
            "prior_state": {"values": {"root_module": module}},
        }
    )
    assert "'other'" in guard.examine(plan)[0].message


def test_labels_that_a_successor_leaves_out_stop():
    successor = thing("template", template(), template(labels={"a": "1"}), ["create", "delete"])
    (finding,) = look(successor, upgraded())
    assert said([finding]) == [("PLAN_LOSES_LABELS", "error")]
    assert finding.message.endswith("would lose labels.b (2 -> absent)")
    assert look(successor) == ()


def test_labels_that_are_not_known_yet_are_not_lost():
    successor = thing(
        "template",
        template(),
        template(labels=None),
        ["create", "delete"],
        change={"after_unknown": {"labels": True}},
    )
    assert look(successor, upgraded()) == ()


def test_an_imported_cluster_with_merge_labels_is_told_why():
    before, after = cluster(merge_labels=None), cluster(merge_labels=True)
    found = look(thing("cluster", before, after, REPLACE, ["merge_labels"]))
    assert said(found) == [("MERGE_LABELS_NOT_READABLE", "warning"), ("PLAN_REPLACES_CLUSTER", "error")]
    assert "ignore_changes = [merge_labels" in found[0].hint


def test_switching_merge_labels_off_is_an_ordinary_replacement():
    before, after = cluster(merge_labels=True), cluster(merge_labels=None)
    found = look(thing("cluster", before, after, REPLACE, ["merge_labels"]))
    assert said(found) == [("PLAN_REPLACES_CLUSTER", "error")]


def test_secrets_stay_masked():
    before = cluster(labels={"grafana_admin_passwd": "s3cret"}, http_proxy="http://me:s3cret@proxy:3128")
    after = cluster(labels={"grafana_admin_passwd": "s3cret-2"}, http_proxy="http://me:s3cret-3@proxy:3128")
    entry = thing("cluster", before, after, REPLACE, ["labels", "http_proxy"])
    found = look(entry)
    plan = Plan(summarize({"resource_changes": [entry]}), found)
    shown = json.dumps([plan.as_dict(), plan.lines()]) + repr(found)
    assert "s3cret" not in shown
    assert "labels.grafana_admin_passwd" in shown and "proxy:3128" in shown


def test_a_refusal_tells_every_error():
    plan = Plan(summarize({}), look(relabelled(), thing("group", group(), None, ["delete"])))
    with pytest.raises(MagflowError) as error:
        plan.refuse()
    assert error.value.code == "PLAN_REPLACES_CLUSTER"
    assert "replace cluster 'demo'" in error.value.what and "delete node group 'gpu'" in error.value.what
    assert error.value.where.endswith(", openstack_containerinfra_nodegroup_v1.gpu")


def test_warnings_alone_refuse_nothing():
    Plan(summarize({}), look(relabelled(), allow=["openstack_containerinfra_cluster_v1.demo"])).refuse()
