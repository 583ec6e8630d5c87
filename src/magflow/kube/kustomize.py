"""Objects from a kustomization, as `kubectl kustomize` builds them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from magflow.errors import CannotTell, MagflowError
from magflow.kube.objects import Object

FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")

# manifests hold megabytes of CRDs: libyaml reads them ten times as fast where it is there
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def build(
    folder: Path | str,
    namespace: str | None = None,
    labels: Mapping[str, str] | None = None,
    program: str = "kubectl",
) -> list[Object]:
    """Builds a folder; it is only read.

    Args:
        folder: holds a kustomization file.
        namespace: moves everything there by an overlay of our own. Kustomize knows what must move along: the Namespace
            object, RBAC subjects, the service references of webhooks.
        labels: for every object but namespaces, which others share; not for selectors and pod templates.
        program: the kubectl to run.

    Raises:
        MagflowError: with kustomize's own words.
        CannotTell: when the folder or the program is missing.
    """
    folder = Path(folder).expanduser()
    if not any((folder / name).is_file() for name in FILES):
        raise CannotTell(
            "no kustomization file", where=str(folder), hint="give the folder that holds kustomization.yaml"
        )
    if not namespace:
        return _labelled(read(_run(program, folder)), labels)
    with tempfile.TemporaryDirectory(prefix="magflow-kustomize-") as scratch:
        overlay = {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "namespace": namespace,
            # kustomize takes no absolute base
            "resources": [os.path.relpath(folder.resolve(), Path(scratch).resolve())],
        }
        (Path(scratch) / FILES[0]).write_text(yaml.safe_dump(overlay), encoding="utf-8")
        return _labelled(read(_run(program, Path(scratch), shown=folder)), labels)


def read(text: str) -> list[Object]:
    """Objects from YAML documents; empty ones are dropped.

    Raises:
        MagflowError: when the text is no YAML.
    """
    try:
        # a subclass of SafeLoader in both cases
        return [document for document in yaml.load_all(text, Loader=LOADER) if document]
    except yaml.YAMLError as error:
        raise MagflowError(f"not valid YAML: {error}") from None


def _labelled(objects: list[Object], labels: Mapping[str, str] | None) -> list[Object]:
    for obj in objects:
        if labels and obj.get("kind") != "Namespace":
            meta = obj.setdefault("metadata", {})
            meta["labels"] = {**(meta.get("labels") or {}), **labels}
    return objects


def _run(program: str, folder: Path, shown: Path | None = None) -> str:
    try:
        done = subprocess.run(
            [program, "kustomize", str(folder)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise CannotTell(
            f"cannot run {program}: {error.strerror}", hint="install kubectl and put it into PATH"
        ) from None
    if done.returncode:
        raise MagflowError(f"kustomize refused the folder: {done.stderr.strip()}", where=str(shown or folder))
    return done.stdout
