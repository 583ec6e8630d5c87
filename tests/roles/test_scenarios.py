"""The molecule scenarios of the roles: check mode leaves all alone, converge, idempotence, side effects, verify."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contracts.ansible.tools import Ansible, link_checkout

from magflow_sandbox.toolchain import Toolchain

HERE = Path(__file__).parent
SCENARIOS = ("node_pools", "training_operator", "ingress", "smoke", "helm_access")
ELSEWHERE = {"magnum_cluster"}
"""Needs a cloud: tests/sandbox/test_ansible_way.py."""
WATCHED = (
    ("v1", "Namespace"),
    ("v1", "Node"),
    ("apps/v1", "Deployment"),
    ("networking.k8s.io/v1", "Ingress"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
)


@pytest.fixture(scope="session")
def molecule(kubeconfig, operator_manifests, tmp_path_factory):
    """Runs molecule; its answer is the output."""
    scratch = tmp_path_factory.mktemp("molecule")
    environment = Ansible(scratch, link_checkout(scratch / "collections")).environment(
        KUBECONFIG=str(kubeconfig),
        TRAINING_OPERATOR_MANIFESTS=str(operator_manifests),
        HELM=str(Toolchain().path("helm")),
    )
    environment.pop("ANSIBLE_CONFIG")  # molecule writes its own

    def run(*args: str) -> str:
        done = subprocess.run(
            [str(Path(sys.executable).parent / "molecule"), "-c", "base.yml", *args],
            cwd=HERE,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


def everything(kube):
    """What is in the cluster: objects, and the labels, annotations and taints of nodes."""
    return {
        (kind, obj["metadata"].get("namespace"), obj["metadata"]["name"]): (
            obj["metadata"].get("labels"),
            obj["metadata"].get("annotations") if kind == "Node" else None,
            (obj.get("spec") or {}).get("taints"),
        )
        for api_version, kind in WATCHED
        for obj in kube.each(api_version, kind)
        # namespaces of other tests may be on their way out
        if not (obj["metadata"].get("namespace") or obj["metadata"]["name"]).startswith("test-")
    }


def test_every_role_has_a_scenario():
    roles = {path.name for path in (HERE.parents[1] / "roles").iterdir()}
    assert roles - ELSEWHERE == set(SCENARIOS) == {path.name for path in (HERE / "molecule").iterdir()}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(scenario, molecule, kube):
    before = everything(kube)
    said = molecule("check", "-s", scenario)
    assert re.search(r"\bchanged=[1-9]", said)
    assert everything(kube) == before
    molecule("test", "-s", scenario)
