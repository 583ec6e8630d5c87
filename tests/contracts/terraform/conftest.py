"""Terraform and OpenTofu for the contracts, whichever are there; the provider is mocked, no cloud is touched."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tftest
from tests.contracts.programs import PROGRAMS

from magflow.engine.terraform.environment import environment

from .hcl import TERRAFORM


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.contracts)


@pytest.fixture(scope="session", params=list(PROGRAMS) or [None])
def program(request: pytest.FixtureRequest) -> str:
    """The path of terraform, and of tofu."""
    if request.param is None:
        pytest.skip("neither terraform nor tofu is in PATH")
    return str(PROGRAMS[request.param])


@pytest.fixture(scope="session")
def tree(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of terraform/ for each program, so that nothing is written in the checkout."""
    target = tmp_path_factory.mktemp("tree") / "terraform"
    shutil.copytree(TERRAFORM, target, ignore=shutil.ignore_patterns(".terraform*", "*.tfstate*"))
    return target


@pytest.fixture(scope="session")
def module(program: str, tree: Path) -> Callable[[str], tftest.TerraformTest]:
    """Gives an initialised module of the copy."""
    made: dict[str, tftest.TerraformTest] = {}

    def get(name: str) -> tftest.TerraformTest:
        if name not in made:
            made[name] = initialised(program, tree / name)
        return made[name]

    return get


@pytest.fixture(scope="session")
def results(module: Callable[[str], tftest.TerraformTest]) -> Callable[[str], list[dict[str, Any]]]:
    """Gives the events of a module's `terraform test`, run once."""
    seen: dict[str, list[dict[str, Any]]] = {}

    def get(name: str) -> list[dict[str, Any]]:
        if name not in seen:
            seen[name] = list(events(module(name)))
        return seen[name]

    return get


def initialised(program: str, folder: Path) -> tftest.TerraformTest:
    test = tftest.TerraformTest(str(folder), binary=program, env=environment({}))
    test.env = environment(
        {}
    )  # tftest adds the caller's environment, TF_CLI_CONFIG_FILE to a file that is not there included
    test.setup(cleanup_on_exit=False)
    return test


def events(test: tftest.TerraformTest) -> Iterator[dict[str, Any]]:
    """The events of `terraform test`, failed or not."""
    try:
        text = test.execute_command("test", "-json", "-verbose").out
    except tftest.TerraformTestError as error:
        text = error.args[0]
    for line in text.splitlines():
        if '{"@level"' in line:
            yield json.loads(line[line.index('{"@level"') :])


def statuses(found: list[dict[str, Any]]) -> dict[str, str]:
    """Run name -> pass, fail, error or skip."""
    ended = [event["test_run"] for event in found if event.get("type") == "test_run"]
    return {run["run"]: run["status"] for run in ended if run.get("status")}
