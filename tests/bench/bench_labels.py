"""How long it takes to compile the labels of many clusters, and how that compares with reading their settings.

Usage: python tests/bench/bench_labels.py [CLUSTERS]
Exit 1: compiling takes 0.3 s or more.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from magflow import settings_file
from magflow.rules.labels import compile_all
from magflow.rules.labels import table as label_table
from magflow.settings import Settings

ROUNDS = 7
LIMIT = 0.3


def many(clusters: int) -> dict[str, object]:
    """Settings of so many clusters, each with labels of its own, as plain data."""
    base = settings_file.load("heat").settings.model_dump(mode="json", by_alias=True, exclude_none=True)
    extra = base["cluster"]["extra_labels"]
    further = {
        f"ml-{number}": {"extra_labels": extra | {"etcd_tag": f"v3.5.{number}"}} for number in range(1, clusters)
    }
    return base | {"clusters": further}


def seconds(action: Callable[[], object]) -> float:
    """Median of some rounds, after one to warm up."""
    action()
    took = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        action()
        took.append(time.perf_counter() - begin)
    return statistics.median(took)


def table_alone() -> None:
    """Reads the table anew."""
    for function in (label_table._raw, label_table.table, label_table.node_fields, label_table.drivers):
        function.cache_clear()
    label_table.table()


def main() -> int:
    """Prints the figures."""
    clusters = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    data, command = many(clusters), str(Path(sys.executable).with_name("magflow"))
    text, settings = yaml.safe_dump(data), Settings.model_validate(data)
    compiled = compile_all(settings)
    sent = sum(len(one.labels) for one in compiled.values())
    assert len(compiled) == clusters and not any(one.findings for one in compiled.values())
    figures = {
        f"compile {clusters} clusters, {sent} labels": seconds(lambda: compile_all(settings)),
        "peer: yaml.safe_load and pydantic read them": seconds(lambda: Settings.model_validate(yaml.safe_load(text))),
        "read the table": seconds(table_alone),
        "the whole command: magflow labels stein": seconds(
            lambda: subprocess.run([command, "labels", "stein"], check=True, capture_output=True)
        ),
    }
    ours = next(iter(figures.values()))
    for name, took in figures.items():
        print(f"  {name:45} {took * 1000:7.1f} ms  {took / ours:6.2f} x ours")
    return 0 if ours < LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
