"""What the suite hands to Terraform is what the stack declares: Terraform only warns of the rest, or drops it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from magflow.handoff import terraform_vars
from magflow.settings_file import load

from .hcl import blocks

DECLARED = {block.labels[0]: block for block in blocks("stacks/cluster") if block.kind == "variable"}


@pytest.fixture(params=["example", "sandbox"])
def handed(request: pytest.FixtureRequest) -> dict[str, Any]:
    return terraform_vars(load(request.param).settings)


def test_every_variable_is_declared(handed: dict[str, Any]) -> None:
    assert handed.keys() == DECLARED.keys()


@pytest.mark.parametrize("name", ["template", "cluster"])
def test_every_attribute_is_declared(handed: dict[str, Any], name: str) -> None:
    assert handed[name].keys() <= attributes(name)


def test_every_attribute_of_a_node_group_is_declared(handed: dict[str, Any]) -> None:
    for group in handed["node_groups"].values():
        assert group.keys() <= attributes("node_groups")


def attributes(name: str) -> set[str]:
    """The attributes of a variable's object type, the first level."""
    return set(re.findall(r"^    (\w+) += ", DECLARED[name].body, re.MULTILINE))
