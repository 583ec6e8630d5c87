"""Every module and stack: formatted, valid, described, its rules worded and each proven by a run of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tftest

from magflow.engine.terraform.environment import environment
from magflow.facts import Facts

from .conftest import events, statuses
from .hcl import MODULES, TERRAFORM, Block, Rule, Run, blocks, rules, runs

RUNS = [run for module in MODULES for run in runs(module)]
RULES = [rule for module in MODULES for rule in rules(module)]
VARIABLES = [(module, block) for module in MODULES for block in blocks(module) if block.kind == "variable"]
EXAMPLES = sorted(str(file.parent.relative_to(TERRAFORM)) for file in TERRAFORM.glob("*/*/examples/*/main.tf"))
OUTPUTS = [(module, block) for module in MODULES for block in blocks(module) if block.kind == "output"]


def label(entry: object) -> str:
    return entry.target if isinstance(entry, Block) else str(entry)


def test_the_modules_are_found() -> None:
    assert set(MODULES) >= {
        "modules/cluster",
        "modules/cluster_template",
        "modules/access",
        "modules/image",
        "modules/keypair",
        "modules/network",
        "modules/node_group",
        "stacks/cluster",
        "stacks/image",
    }


def test_files_are_formatted(program: str) -> None:
    done = subprocess.run(
        [program, "fmt", "-check", "-recursive", "-diff", str(TERRAFORM)],
        capture_output=True,
        text=True,
        env=environment({}),
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", MODULES)
def test_it_is_valid(module: Callable[[str], tftest.TerraformTest], name: str) -> None:
    assert '"valid": true' in module(name).execute_command("validate", "-json").out.replace(
        '"valid":true', '"valid": true'
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_valid(module: Callable[[str], tftest.TerraformTest], name: str) -> None:
    said = module(name).execute_command("validate", "-json").out
    assert json.loads(said[said.index("{") :])["valid"] is True, said


@pytest.mark.parametrize("name", MODULES)
def test_it_has_an_example(name: str) -> None:
    assert [example for example in EXAMPLES if example.startswith(f"{name}/")]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_run(results: Callable[[str], list[dict[str, Any]]], run: Run) -> None:
    found = results(run.module)
    said = [event["@message"] for event in found if event.get("type") == "diagnostic"]
    assert statuses(found).get(run.name) == "pass", said


@pytest.mark.parametrize(("module", "variable"), VARIABLES, ids=label)
def test_a_variable_is_described_typed_and_has_a_rule(module: str, variable: Block) -> None:
    assert re.search(r"^  description = \S", variable.body, re.MULTILINE), module
    kind = re.search(r"^  type += (\S+)", variable.body, re.MULTILINE)
    assert kind and kind[1] != "any"
    assert kind[1] == "bool" or any(rule.block == variable for rule in RULES), "a bool alone needs no rule"


@pytest.mark.parametrize(("module", "output"), OUTPUTS, ids=label)
def test_an_output_is_described(module: str, output: Block) -> None:
    assert re.search(r'^  description = "', output.body, re.MULTILINE), module


def test_what_holds_credentials_is_sensitive() -> None:
    bare = [
        label(output)
        for _, output in OUTPUTS
        if "kubeconfig" in output.body and "sensitive   = true" not in output.body
    ]
    assert bare == []


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_is_one_sentence_with_the_given_value(rule: Rule) -> None:
    sentence = re.sub(r"\$\{.*?\}(?=[^}]*$|[^}]*\$\{)", "VALUE", rule.message)
    assert sentence.endswith("."), sentence
    assert "; got " in sentence or "; it has " in sentence, sentence
    assert re.search(r"\bmust\b", sentence), sentence


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_run_fails_when_the_rule_is_gone(
    program: str, module: Callable[[str], tftest.TerraformTest], tree: Path, tmp_path: Path, rule: Rule
) -> None:
    """Else no run of that module looks at this very rule."""
    module(rule.module)
    # what init made comes along, so that it need not be made again for each rule
    others_too = shutil.ignore_patterns("*.tfstate*")
    tree = shutil.copytree(tree, tmp_path / "terraform", symlinks=True, ignore=others_too)
    file = tree / rule.block.file.relative_to(TERRAFORM)
    text = file.read_text()
    assert text.count(rule.text) == 1
    file.write_text(text.replace(rule.text, ""))
    others = [run for run in runs(rule.module) if run.expects_failure_of != rule.block.target]
    for tests in (tree / rule.module / "tests").glob("*.tftest.hcl"):
        kept = tests.read_text()
        for run in others:
            kept = kept.replace(run.text, "")
        tests.write_text(kept)
    test = tftest.TerraformTest(str(tree / rule.module), binary=program)
    test.env = environment({})
    found = statuses(list(events(test)))
    assert [name for name, status in found.items() if status != "pass"], f"all pass without it: {list(found)}"


def test_the_facts_of_the_stack_fit_the_model(results: Callable[[str], list[dict[str, Any]]]) -> None:
    states = [
        event["test_state"]
        for event in results("stacks/cluster")
        if event.get("@testrun") == "facts_and_kubeconfig" and "test_state" in event
    ]
    assert states
    outputs = states[0]["outputs"] if "outputs" in states[0] else states[0]["values"]["outputs"]
    facts = Facts.parse(outputs["facts"]["value"], "the mocked stack", main="research")
    assert facts.node_groups["default-master"].role == "master"
    assert "kubeconfig" not in facts.model_dump_json()
