"""What the suite hands to Terraform is what the stack declares: Terraform only warns of the rest, or drops it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from magflow.errors import MagflowError
from magflow.handoff import stack_vars
from magflow.settings import Settings
from magflow.settings_file import load

from .hcl import Block, blocks

STACKS = ("image", "cluster")


def variables(stack: str) -> dict[str, Block]:
    return {block.labels[0]: block for block in blocks(f"stacks/{stack}") if block.kind == "variable"}


@pytest.fixture(params=["example", "sandbox"])
def settings(request: pytest.FixtureRequest) -> Settings:
    return load(request.param).settings


@pytest.fixture
def rich(settings: Settings, tmp_path: Path) -> Settings:
    """Settings that make use of everything that the stacks can do."""
    key = tmp_path / "id.pub"
    key.write_text("ssh-ed25519 AAAA me@here\n")
    given = settings.model_dump(mode="json", by_alias=True)
    given["image"] |= {"file": "node.qcow2", "checksum": "sha256:" + "0" * 64, "os_distro": "fedora-coreos"}
    given["network"] |= {"fixed": None, "subnet": None, "cidr": "10.1.0.0/24", "dns": ["192.0.2.53"], "mtu": 1450}
    given["cluster"] |= {
        "proxy": {"http": "http://p.example.org:1", "https": "http://p.example.org:1", "no_proxy": ["10.0.0.0/8"]},
        "volumes": {"driver": "cinder", "docker": {"size": 20}},
        "own_labels": {"max_node_count": "6"},
        "merge_labels": True,
    }
    given["cloud"] |= {"driver": "heat", "magnum_release": "22"}
    given["ingress"] |= {"allowed_cidrs": ["192.0.2.0/24"]}
    given["clusters"] = {"second": {"image": "other"}}
    return Settings.model_validate(given | {"public_key": str(key)})


@pytest.mark.parametrize("stack", STACKS)
def test_every_variable_is_declared(settings: Settings, stack: str) -> None:
    assert stack_vars(stack, settings).keys() == variables(stack).keys()


@pytest.mark.parametrize("stack", STACKS)
def test_every_attribute_is_declared(settings: Settings, rich: Settings, stack: str) -> None:
    for given in (settings, rich):
        for name, value in stack_vars(stack, given).items():
            assert undeclared(value, declared_type(variables(stack)[name]), name) == []


def test_what_is_handed_over_follows_the_settings(rich: Settings) -> None:
    handed = stack_vars("cluster", rich)
    name = rich.cluster.name
    assert handed["keypair"]["public_key"] == "ssh-ed25519 AAAA me@here"
    assert handed["network"]["create"] == {"name": name, "cidr": "10.1.0.0/24", "dns": ["192.0.2.53"]}
    assert handed["clusters"].keys() == {name, "second"}
    assert handed["templates"][name]["image_properties"] == {"magflow_checksum": "sha256:" + "0" * 64}
    assert handed["templates"]["second"]["image_properties"] == {}
    assert handed["clusters"][name]["access"] == {"driver": "heat", "allowed_cidrs": ["192.0.2.0/24"]}
    assert handed["clusters"]["second"]["access"] is None
    assert handed["clusters"][name]["merge_labels"] is True
    assert stack_vars("image", rich)["images"].keys() == {rich.image.name}


def test_a_missing_public_key_is_told(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(MagflowError, match=r"cannot read the public key .*gone\.pub: No such file"):
        stack_vars("cluster", settings.model_copy(update={"public_key": tmp_path / "gone.pub"}))


def declared_type(variable: Block) -> Any:
    """The type of a variable: a dict for an object, [inner] for a map, list or set, a word for the rest."""
    found = re.search(r"^  type += (.*?)\n(?=  [a-z])", variable.body, re.MULTILINE | re.DOTALL)
    assert found, variable.target
    words = re.findall(r"\w+|[({=,})]", re.sub(r'"[^"]*"', "TEXT", found[1]))
    return parse(words)


def parse(words: list[str]) -> Any:
    """Takes one type off the front."""
    word = words.pop(0)
    if word == "object":
        del words[:2]  # ({
        attributes = {}
        while words[0] != "}":
            name = words.pop(0)
            assert words.pop(0) == "="
            attributes[name] = parse(words)
            if words[0] == ",":
                words.pop(0)
        del words[:2]  # })
        return attributes
    if word not in {"map", "list", "set", "optional"}:
        return word
    words.pop(0)
    inner = parse(words)
    depth = 1
    while depth:  # to the closing bracket: an optional attribute has its default there
        depth += {"(": 1, ")": -1}.get(words.pop(0), 0)
    return inner if word == "optional" else [inner]


def undeclared(value: Any, kind: Any, path: str) -> list[str]:
    """The key paths of a value that its type does not have: Terraform would drop them without a word."""
    if isinstance(value, dict) and isinstance(kind, dict):
        own = [f"{path}.{key}" for key in value if key not in kind]
        return own + [
            at for key, item in value.items() if key in kind for at in undeclared(item, kind[key], f"{path}.{key}")
        ]
    if isinstance(kind, list) and isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [at for key, item in items for at in undeclared(item, kind[0], f"{path}.{key}")]
    return []


def test_a_misspelt_attribute_would_be_noticed(settings: Settings) -> None:
    kind = declared_type(variables("cluster")["clusters"])
    value = stack_vars("cluster", settings)["clusters"]
    value[settings.cluster.name]["node_groups"]["gpu"]["flavour"] = "x"
    assert undeclared(value, kind, "clusters") == [f"clusters.{settings.cluster.name}.node_groups.gpu.flavour"]
