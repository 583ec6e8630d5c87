"""Kustomize is run for real where kubectl is there."""

import shutil

import pytest

from magflow.errors import CannotTell, MagflowError
from magflow.kube import kustomize

needs_kubectl = pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not in PATH")

BASE = """
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: kubeflow
resources: [all.yaml]
"""
OBJECTS = """
apiVersion: v1
kind: Namespace
metadata: {name: kubeflow}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: operator}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: operator}]
---
apiVersion: v1
kind: Service
metadata: {name: operator, labels: {app: operator}}
spec: {selector: {app: operator}, ports: [{port: 80}]}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kustomization.yaml").write_text(BASE)
    (tmp_path / "all.yaml").write_text(OBJECTS)
    return tmp_path


def by_kind(objects):
    return {obj["kind"]: obj for obj in objects}


@needs_kubectl
def test_everything_moves_to_the_namespace(folder):
    made = by_kind(kustomize.build(folder, namespace="training"))
    assert made["Namespace"]["metadata"]["name"] == "training"
    assert made["ServiceAccount"]["metadata"]["namespace"] == "training"
    assert made["ClusterRoleBinding"]["subjects"][0]["namespace"] == "training"


@needs_kubectl
def test_labels_go_to_objects_and_not_to_selectors_or_namespaces(folder):
    made = by_kind(kustomize.build(folder, labels={"by": "us"}))
    assert made["Service"]["metadata"]["labels"] == {"app": "operator", "by": "us"}
    assert made["Service"]["spec"]["selector"] == {"app": "operator"}
    assert "labels" not in made["Namespace"]["metadata"]


@needs_kubectl
def test_kustomizes_own_words_are_passed_on(folder):
    (folder / "all.yaml").unlink()
    with pytest.raises(MagflowError, match=r"all\.yaml") as caught:
        kustomize.build(folder, namespace="training")
    assert caught.value.where == str(folder)


def test_a_folder_without_kustomization(tmp_path):
    with pytest.raises(CannotTell, match="no kustomization file"):
        kustomize.build(tmp_path)


def test_a_missing_program(folder):
    with pytest.raises(CannotTell, match="cannot run no-such-kubectl"):
        kustomize.build(folder, program="no-such-kubectl")


def test_bad_yaml():
    with pytest.raises(MagflowError, match="not valid YAML"):
        kustomize.read("a: [")
