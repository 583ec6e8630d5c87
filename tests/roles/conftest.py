"""One real Kubernetes control plane of the sandbox for the whole tier; $MAGFLOW_TEST_KUBECONFIG names another one."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from magflow.kube.client import Kube, connect
from magflow_sandbox.toolchain import Toolchain

NAME = "roles"
NODES = "default-worker=2,gpu=1:4"


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The kubeconfig of a cluster with a control-plane node, two workers and one GPU node."""
    given = os.environ.get("MAGFLOW_TEST_KUBECONFIG")
    if given:
        yield Path(given)
        return
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "kubeconfig"
    program = [sys.executable, "-m", "magflow_sandbox.clusters.standalone"]
    common = ["--home", str(folder / "home"), "--name", NAME, "--kubeconfig", str(file)]
    try:
        subprocess.run([*program, "up", *common, "--nodes", NODES], check=True, stdin=subprocess.DEVNULL)
        yield file
    finally:
        subprocess.run([*program, "down", *common], check=True, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def kube(kubeconfig: Path) -> Kube:
    """The product's client of that cluster."""
    return connect(kubeconfig)


@pytest.fixture(scope="session")
def operator_manifests() -> Path:
    """The manifests folder of the training operator's Go module."""
    return Toolchain().module_dir("training-operator") / "manifests"


@pytest.fixture
def namespace(kube: Kube) -> Iterator[str]:
    """A fresh namespace; it goes with the test."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    kube.call("POST", "/api/v1/namespaces", body={"metadata": {"name": name}})
    yield name
    kube.delete("v1", "Namespace", name)


@pytest.fixture
def as_someone(kube: Kube) -> Callable[[dict, dict], dict]:
    """Changes an object as another manager does: by a plain merge patch."""

    def change(target: dict, patch: dict) -> dict:
        return kube.patch(target, patch, query={"fieldManager": "someone"})

    return change
