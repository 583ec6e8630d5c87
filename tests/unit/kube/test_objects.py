"""Waves, what is left out of what is sent, what is compared."""

import pytest

from magflow.errors import MagflowError
from magflow.kube.objects import Identity, Wave, condition, flatten, sendable, wave


def obj(kind="ConfigMap", api="v1", **more):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "x"}, **more}


@pytest.mark.parametrize(
    ("api", "kind", "expected"),
    [
        ("v1", "Namespace", Wave.NAMESPACES),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", Wave.DEFINITIONS),
        ("v1", "Secret", Wave.CONFIGURATION),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", Wave.CONFIGURATION),
        ("storage.k8s.io/v1", "StorageClass", Wave.CONFIGURATION),
        ("apps/v1", "Deployment", Wave.WORKLOADS),
        ("v1", "Service", Wave.SERVICES),
        ("networking.k8s.io/v1", "Ingress", Wave.SERVICES),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", Wave.WEBHOOKS),
        ("kubeflow.org/v1", "TFJob", Wave.CUSTOM),
        # a group of the project that Kubernetes itself does not serve
        ("gateway.networking.k8s.io/v1", "Gateway", Wave.CUSTOM),
    ],
)
def test_wave(api, kind, expected):
    assert wave(obj(kind, api)) == expected


def test_lists_are_unpacked_and_empty_documents_dropped():
    given = [None, {"apiVersion": "v1", "kind": "List", "items": [obj(), obj("Secret")]}]
    assert [item["kind"] for item in flatten(given)] == ["ConfigMap", "Secret"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "Pod"}, "no apiVersion and kind"),
        ("text", "no apiVersion and kind"),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "x-"}}, "generateName does not do"),
    ],
)
def test_what_is_no_object_is_named_by_its_place(given, words):
    with pytest.raises(MagflowError, match=words) as caught:
        list(flatten([obj(), given]))
    assert caught.value.where == "objects[1]"


def test_bookkeeping_status_and_empty_maps_are_not_sent():
    given = obj(status={"a": 1}, data={})
    given["metadata"] |= {"creationTimestamp": None, "managedFields": [], "labels": {}, "annotations": None}
    assert sendable(given) == obj()


@pytest.mark.parametrize(
    ("bundle", "annotations", "kept"),
    [
        ("", {}, False),
        ("Cg==", {}, False),
        ("TUlJ", {}, True),
        ("TUlJ", {"cert-manager.io/inject-ca-from": "a/b"}, False),
    ],
)
def test_injected_ca_bundles_are_not_sent(bundle, annotations, kept):
    given = obj("ValidatingWebhookConfiguration", webhooks=[{"name": "a", "clientConfig": {"caBundle": bundle}}])
    given["metadata"]["annotations"] = annotations
    assert ("caBundle" in sendable(given)["webhooks"][0]["clientConfig"]) is kept


def test_rules_of_aggregated_roles_are_not_sent():
    assert "rules" not in sendable(obj("ClusterRole", aggregationRule={"clusterRoleSelectors": []}, rules=[]))
    assert "rules" in sendable(obj("ClusterRole", rules=[]))


def test_the_input_is_left_as_it_was():
    given = obj(status={})
    sendable(given)
    assert "status" in given


def test_condition():
    live = obj(status={"conditions": [{"type": "Ready", "status": "True"}]})
    assert condition(live, "Ready") == "True"
    assert condition(live, "Failed") == ""
    assert condition(None, "Ready") == ""


def test_identity_reads_as_kubectl_would():
    assert str(Identity("v1", "Pod", "a", "b")) == "Pod a/b"
    assert str(Identity("v1", "Node", None, "b")) == "Node b"
