"""How long the offline check of many clusters takes, and how that compares with validating the same file alone.

Usage: python tests/bench/bench_offline.py [CLUSTERS]
Exit 1: the check of the file takes a second or more.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from magflow import paths, settings_file
from magflow.rules import offline
from magflow.settings import Settings

ROUNDS = 7
LIMIT = 1.0


def written(folder: Path, clusters: int) -> Path:
    """A settings file of so many clusters, each with groups, a version and a time of its own."""
    data: dict[str, Any] = yaml.safe_load((paths.root() / "variables" / "capi-helm.yml").read_text())
    data["clusters"] = {
        f"ml-{number}": {
            "kubernetes": data["cluster"]["kubernetes"],
            "create_timeout": 120 + number % 60,
            "extra_labels": {"kube_dashboard_enabled": "false"},
            "node_groups": copy.deepcopy(data["node_groups"]),
        }
        for number in range(1, clusters)
    }
    file = folder / "many.yml"
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    return file


def seconds(action: Callable[[], object]) -> float:
    """The best of some rounds, after one to warm up: what else runs on the machine only adds."""
    action()
    took = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        action()
        took.append(time.perf_counter() - begin)
    return min(took)


def main() -> int:
    """Prints the figures."""
    clusters = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        file = written(Path(folder), clusters)
        schema = json.loads((paths.root() / "variables" / "schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)

        def peer_jsonschema() -> None:
            assert not list(validator.iter_errors(yaml.safe_load(file.read_text())))

        def peer_pydantic() -> None:
            Settings.model_validate(yaml.safe_load(file.read_text()))

        def ours() -> offline.Looked:
            return offline.look(settings_file.load(str(file)).settings)

        assert ours().clusters == clusters and not ours().findings
        settings = settings_file.load(str(file)).settings
        figures = {
            "ours: read, validate, labels, versions, rules": seconds(ours),
            "of that: labels, versions and rules": seconds(lambda: offline.look(settings)),
            "peer: read and validate (yaml.safe_load, pydantic)": seconds(peer_pydantic),
            "peer: read and validate (yaml.safe_load, jsonschema)": seconds(peer_jsonschema),
        }
        command = [str(Path(sys.executable).with_name("magflow")), "check", str(file), "--offline"]
        figures["the whole command, Python's start and imports included"] = seconds(
            lambda: subprocess.run(command, check=True, capture_output=True)
        )
    whole = next(iter(figures.values()))
    print(f"{clusters} clusters, best of {ROUNDS}")
    for name, took in figures.items():
        print(f"  {name:58} {took * 1000:7.0f} ms  {took / whole:6.2f} x ours")
    return 0 if whole < LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
