"""How long the plan guard takes on a plan of 5,000 resources, beside what merely reading the same file takes.

Usage: python tests/bench/bench_guard.py [RESOURCES]
Exit 1: the command takes two seconds or more, or ten times the time for five times the resources.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from magflow.engine.plan import file as plan_file
from magflow.engine.plan import guard
from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP, TEMPLATE
from magflow.engine.terraform.environment import environment

RESOURCES = 5_000
LIMIT = 2.0
"""Seconds, for all of `magflow check --plan`."""
ROUNDS = 5


def plan(resources: int) -> dict[str, Any]:
    """A plan with a template, a cluster and eight node groups of each in turn; a tenth of all would change."""
    entries = [entry for number in range(resources // 10) for entry in _family(number)]
    return {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "planned_values": {"root_module": {"resources": [_planned(entry) for entry in entries]}},
        "resource_changes": entries,
        "prior_state": {
            "format_version": "1.0",
            "values": {"root_module": {"resources": [_planned(entry) for entry in entries]}},
        },
        "output_changes": {},
    }


def _family(number: int) -> Iterator[dict[str, Any]]:
    labels = {f"label_{key}": f"value-{key}" for key in range(40)} | {"auto_scaling_enabled": "true"}
    replaced = number % 10 == 0
    yield _entry(TEMPLATE, f"t{number}", {"id": f"t{number}", "labels": labels, "flavor": "m1"})
    values = {"id": f"c{number}", "cluster_template_id": f"t{number}", "labels": labels, "node_count": 3}
    values |= {"kubeconfig": {"raw_config": "x" * 2_000}}
    yield _entry(CLUSTER, f"c{number}", values, {"labels": labels | {"label_1": "new"}} if replaced else {})
    for group in range(8):
        values = {"id": f"c{number}/g{group}", "cluster_id": f"c{number}", "labels": labels, "node_count": 6}
        yield _entry(NODE_GROUP, f"c{number}_g{group}", values, {"node_count": 2} if replaced else {})


def _entry(kind: str, name: str, before: dict[str, Any], change: dict[str, Any] | None = None) -> dict[str, Any]:
    before = {"name": name, "region": "RegionOne", "project_id": "p" * 32, **before}
    replaced = "labels" in (change or {})
    return {
        "address": f'module.stack.module.all["{name}"].{kind}.this',
        "mode": "managed",
        "type": kind,
        "name": "this",
        "change": {
            "actions": ["delete", "create"] if replaced else ["update"] if change else ["no-op"],
            "before": before,
            "after": before | (change or {}),
            "before_sensitive": {"kubeconfig": True},
            "after_sensitive": {"kubeconfig": True},
            "replace_paths": [["labels"]] if replaced else [],
        },
    }


def _planned(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: entry[key] for key in ("address", "mode", "type", "name")} | {"values": entry["change"]["before"]}


def seconds(action: Callable[[], object]) -> float:
    """Median of some rounds, after one to warm up."""
    action()
    took = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        action()
        took.append(time.perf_counter() - begin)
    return statistics.median(took)


def written(folder: Path, resources: int) -> Path:
    """A stored plan of so many resources."""
    file = folder / f"plan-{resources}.json"
    file.write_text(json.dumps(plan(resources)))
    return file


def examined(file: Path) -> int:
    """How many findings the guard has."""
    return len(guard.examine(plan_file.load(file)))


def shown(folder: Path, resources: int) -> tuple[float, Path] | None:
    """Seconds of `terraform show -json` on a plan of so many built-in resources, and what it writes."""
    program = next((name for name in ("terraform", "tofu") if shutil.which(name)), None)
    if program is None:
        return None
    (folder / "main.tf").write_text(f'resource "terraform_data" "x" {{\n  count = {resources}\n  input = "x"\n}}\n')
    file = folder / "shown.json"

    def run(*words: str) -> bytes:
        done = subprocess.run([program, *words], cwd=folder, env=environment({}), capture_output=True, check=True)
        return done.stdout

    run("init")
    run("plan", "-out=plan.bin")
    file.write_bytes(run("show", "-json", "plan.bin"))
    return seconds(lambda: run("show", "-json", "plan.bin")), file


def main() -> int:
    """Prints the figures."""
    resources = int(sys.argv[1]) if len(sys.argv) > 1 else RESOURCES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, small = written(folder, resources), written(folder, resources // 5)
        reading = seconds(lambda: json.loads(file.read_bytes()))
        ours, few = seconds(lambda: examined(file)), seconds(lambda: examined(small))
        words = [Path(sys.executable).with_name("magflow"), "check", "--plan", file, "--json"]
        command = seconds(lambda: subprocess.run(words, capture_output=True, env=os.environ | {"NO_COLOR": "1"}))
        print(f"{resources} resources, {file.stat().st_size / 1e6:.0f} MB, {examined(file)} findings")
        print(f"  json.load            {reading:.2f} s")
        print(f"  plan guard           {ours:.2f} s, {ours / reading:.1f} x json.load")
        print(f"  magflow check --plan {command:.2f} s")
        print(f"  a fifth of them      {few:.2f} s: {ours / few:.1f} x the time for 5 x the resources")
        peer = shown(folder, resources)
        if peer:
            same = seconds(lambda: examined(peer[1]))
            print(f"  terraform show -json {peer[0]:.2f} s of {resources} terraform_data; the guard on it {same:.2f} s")
    return int(command >= LIMIT or ours / few >= 10)


if __name__ == "__main__":
    sys.exit(main())
