"""The apply engine against a real API server."""

import pytest

from magflow.errors import MagflowError
from magflow.kube import wait
from magflow.kube.apply import ApplyError, apply
from magflow.kube.errors import Conflict, UnknownKind


def config(namespace, name="settings", **data):
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def definition(group, kind="Thing"):
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def job(namespace, image="one"):
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job", "namespace": namespace},
        "spec": {
            "suspend": True,
            "template": {
                "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": image}]},
            },
        },
    }


def actions(kube, objects, **more):
    return [item.action for item in apply(kube, objects, **more)]


def test_created_unchanged_changed(kube, namespace):
    assert actions(kube, [config(namespace, a="1")]) == ["created"]
    assert actions(kube, [config(namespace, a="1")]) == ["unchanged"]
    # within the second of the first write, whose stamp the server does not renew
    assert actions(kube, [config(namespace, a="2")]) == ["changed"]


def test_what_is_no_longer_sent_goes_and_what_others_sent_stays(kube, namespace, as_someone):
    apply(kube, [config(namespace, a="1", b="1")])
    as_someone(config(namespace), {"data": {"c": "1"}})
    assert actions(kube, [config(namespace, a="1")]) == ["changed"]
    assert kube.get("v1", "ConfigMap", "settings", namespace)["data"] == {"a": "1", "c": "1"}


def test_others_writes_are_not_ours(kube, namespace, as_someone):
    apply(kube, [config(namespace, a="1")])
    as_someone(config(namespace), {"data": {"c": "1"}})
    assert actions(kube, [config(namespace, a="1")]) == ["unchanged"]


def test_a_conflict_names_manager_and_field_and_is_not_forced(kube, namespace, as_someone):
    apply(kube, [config(namespace, a="1")])
    as_someone(config(namespace), {"data": {"a": "theirs"}})
    with pytest.raises(ApplyError, match=r"\.data\.a belongs to 'someone'") as caught:
        apply(kube, [config(namespace, a="2")])
    assert isinstance(caught.value.failures[0][1], Conflict)
    assert kube.get("v1", "ConfigMap", "settings", namespace)["data"] == {"a": "theirs"}
    assert actions(kube, [config(namespace, a="2")], force=True) == ["changed"]


def test_a_dry_run_writes_nothing_and_shows_what_would_be(kube, namespace):
    apply(kube, [config(namespace, a="1")])
    changed, created = apply(kube, [config(namespace, a="2"), config(namespace, "new", x="1")], dry_run=True)
    assert (changed.action, created.action) == ("changed", "created")
    assert "a: '1'" in changed.diff.before
    assert "a: '2'" in changed.diff.after
    assert kube.get("v1", "ConfigMap", "settings", namespace)["data"] == {"a": "1"}
    assert kube.get("v1", "ConfigMap", "new", namespace) is None


def test_namespace_kind_and_object_of_it_in_one_go(kube, namespace):
    space = f"{namespace}-more"
    group = f"{namespace}.magflow.test"
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "x", "namespace": space}}
    objects = [
        {**thing, "spec": {"size": 1}},
        definition(group),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}},
    ]
    try:
        assert actions(kube, objects, dry_run=True) == ["created"] * 3
        assert actions(kube, objects) == ["created"] * 3
        assert actions(kube, objects) == ["unchanged"] * 3
        with pytest.raises(ApplyError, match=r"\.spec\.sized: field not declared in schema"):
            apply(kube, [{**thing, "spec": {"sized": 1}}])
    finally:
        kube.delete("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"things.{group}")
        kube.delete("v1", "Namespace", space)


def test_a_kind_that_nobody_serves_is_waited_for_only_shortly(kube, namespace):
    thing = {"apiVersion": "nobody.magflow.test/v1", "kind": "Thing", "metadata": {"name": "x", "namespace": namespace}}
    with pytest.raises(ApplyError, match="does not serve Thing") as caught:
        apply(kube, [thing], deadline=1)
    assert isinstance(caught.value.failures[0][1], UnknownKind)


def test_what_cannot_be_changed_is_replaced_only_when_asked(kube, namespace):
    assert actions(kube, [job(namespace)]) == ["created"]
    with pytest.raises(ApplyError, match="immutable"):
        apply(kube, [job(namespace, "two")])
    assert actions(kube, [job(namespace, "two")], replace=True, dry_run=True) == ["replaced"]
    assert actions(kube, [job(namespace, "two")], replace=True) == ["replaced"]
    assert actions(kube, [job(namespace, "two")], replace=True) == ["unchanged"]


@pytest.fixture
def record(kube, namespace):
    yield namespace
    kube.delete("v1", "ConfigMap", f"magflow-applied-{namespace}", "kube-system")


def writes(kube, monkeypatch):
    """The patches that are sent from now on, but for the record's own."""
    sent = []
    call = kube.call

    def watched(method, path, **more):
        if method == "PATCH" and "magflow-applied-" not in path:
            sent.append(path)
        return call(method, path, **more)

    monkeypatch.setattr(kube, "call", watched)
    return sent


def test_what_stands_is_not_even_sent(kube, namespace, record, monkeypatch, as_someone):
    objects = [config(namespace, a="1"), config(namespace, "other", x="1")]
    assert actions(kube, objects, record=record) == ["created", "created"]
    sent = writes(kube, monkeypatch)
    assert actions(kube, objects, record=record) == ["unchanged", "unchanged"]
    assert actions(kube, objects, record=record, dry_run=True) == ["unchanged", "unchanged"]
    as_someone(config(namespace), {"metadata": {"labels": {"theirs": "1"}}, "data": {"theirs": "1"}})
    sent.clear()
    assert actions(kube, objects, record=record) == ["unchanged", "unchanged"]
    assert sent == []


def test_what_stands_no_longer_is_sent(kube, namespace, record, as_someone):
    objects = [config(namespace, a="1"), config(namespace, "other", x="1")]
    apply(kube, objects, record=record)
    as_someone(config(namespace), {"data": {"a": "theirs"}})
    with pytest.raises(ApplyError, match=r"\.data\.a belongs to 'someone'"):
        apply(kube, objects, record=record)
    kube.delete("v1", "ConfigMap", "settings", namespace)
    assert actions(kube, objects, record=record) == ["created", "unchanged"]
    as_someone(config(namespace), {"data": {"a": None}})
    assert actions(kube, objects, record=record) == ["changed", "unchanged"]
    assert actions(kube, [config(namespace, a="2"), objects[1]], record=record) == ["changed", "unchanged"]
    assert actions(kube, objects, record=record) == ["changed", "unchanged"]


def test_a_record_that_was_lost_costs_nothing_but_time(kube, namespace, record):
    objects = [config(namespace, a="1")]
    apply(kube, objects, record=record)
    kube.delete("v1", "ConfigMap", f"magflow-applied-{record}", "kube-system")
    assert actions(kube, objects, record=record) == ["unchanged"]


def test_one_rejection_does_not_hide_the_rest_of_the_wave(kube, namespace):
    bad = config(namespace, "Bad_Name")
    with pytest.raises(ApplyError, match=r"ConfigMap .*Bad_Name") as caught:
        apply(kube, [bad, config(namespace, "good", a="1")])
    assert [item.name for item in caught.value.done] == ["good"]


def test_a_namespace_that_is_being_deleted_is_waited_out(kube, namespace):
    space = f"{namespace}-again"
    objects = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}},
        config(space, a="1"),
    ]
    apply(kube, objects)
    kube.delete("v1", "Namespace", space)
    try:
        assert actions(kube, objects) == ["created", "created"]
    finally:
        kube.delete("v1", "Namespace", space)


def test_secret_values_are_not_in_the_diff(kube, namespace):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": namespace}}
    (done,) = apply(kube, [{**secret, "stringData": {"password": "hunter2"}}], diff=True)
    assert "hunter2" not in done.diff.after
    assert "aHVudGVyMg" not in done.diff.after


def test_waiting_for_a_deployment(kube, namespace):
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "web"}]},
    }
    apply(
        kube,
        [
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "web", "namespace": namespace},
                "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
            }
        ],
    )
    assert "is Available" in wait.until(kube, "apps/v1", "Deployment", "web", namespace, wished="Available", seconds=60)
    with pytest.raises(MagflowError, match="is not there"):
        wait.until(kube, "apps/v1", "Deployment", "nope", namespace, seconds=0)
