"""The command line as a user has it: another process, an environment of its own, and what it left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from magflow.kube.client import Kube, connect

ROOT = Path(__file__).resolve().parents[2]
MAGFLOW = str(Path(sys.executable).with_name("magflow"))


@dataclass
class Suite:
    """One environment of the suite on the sandbox cloud: its settings file, and its run folder."""

    home: Path
    folder: Path
    name: str = "proof"

    def __post_init__(self) -> None:
        data = yaml.safe_load((ROOT / "variables" / "sandbox.yml").read_text())
        data["cloud"]["clouds_file"] = str(self.home / "clouds.yaml")
        data["training"]["manifests"] = str(self.home / "manifests" / "training-operator")
        data["cluster"]["name"] = self.name
        self.data: dict[str, Any] = data
        self.save()

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name}.yml"

    @property
    def run(self) -> Path:
        return self.folder / "runs" / self.name

    @property
    def env(self) -> dict[str, str]:
        return os.environ | {
            "MAGFLOW_SANDBOX_HOME": str(self.home),
            "MAGFLOW_RUNS": str(self.folder / "runs"),
            "NO_COLOR": "1",
        }

    @property
    def kube(self) -> Kube:
        return connect(self.run / "kubeconfig")

    def save(self, change: Callable[[dict[str, Any]], Any] | None = None, file: Path | None = None) -> Path:
        """Writes the settings; a change stays."""
        if change:
            change(self.data)
        target = file or self.file
        target.write_text(yaml.safe_dump(self.data, sort_keys=False))
        return target

    def magflow(self, *words: str, timeout: float = 600, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [MAGFLOW, *words], env=self.env | env, capture_output=True, text=True, timeout=timeout, check=False
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        return done

    def report(self, *words: str) -> dict[str, Any]:
        """Runs a command that must end well and returns its JSON report."""
        done = self.magflow(*words, "--json")
        assert done.returncode == 0, done.stderr
        data: dict[str, Any] = json.loads(done.stdout)
        return data

    def deploy(self) -> dict[str, Any]:
        return self.report("deploy", str(self.file))

    def kill_deploy_in(self, stage: str, *, after: float, within: float = 240) -> bool:
        """Starts a deploy and kills it with SIGKILL so many seconds into a stage; False when it ended before."""
        journal = self.run / "journal.jsonl"
        before = journal.read_text().count("\n") if journal.exists() else 0
        process = subprocess.Popen(
            [MAGFLOW, "deploy", str(self.file)], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + within
        try:
            while process.poll() is None and time.monotonic() < deadline:
                lines = journal.read_text().splitlines()[before:] if journal.exists() else []
                events = [json.loads(line) for line in lines]
                if any(event["event"] == "stage_started" and event["stage"] == stage for event in events):
                    time.sleep(after)
                    break
                time.sleep(0.05)
            return process.poll() is None
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()

    def objects(self) -> dict[str, int]:
        """How many objects of each kind that the suite makes are there, by kind and name."""
        kinds = [
            ("v1", "Node"),
            ("v1", "Namespace"),
            ("apps/v1", "Deployment"),
            ("networking.k8s.io/v1", "Ingress"),
            ("kubeflow.org/v1", "TFJob"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
            ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ]
        return {kind: len(self.kube.list(version, kind)) for version, kind in kinds}


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    """Outcome of each check by its id."""
    return {check["id"]: check["outcome"] for check in report["checks"]}
