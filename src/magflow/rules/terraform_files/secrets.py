"""Where the administrator's kubeconfig of a cluster would be readable: outputs, files, the state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from magflow.findings import Finding, error, warning
from magflow.rules.terraform_files.read import Module, blocks_in, literal, text
from magflow.rules.terraform_files.tree import CLUSTER, Modules, is_applied, resources, roots

_SECRET = re.compile(r"\.kubeconfig\b(?!\s*(?:\.|\[\s*\")(?:host|cluster_ca_certificate)\b)")
_PERMISSION = re.compile(r"^0?[0-7]00$")
_NOT_SENSITIVE = re.compile(r"\bnonsensitive\s*\(")

Tainted = dict[Path, set[str]]


def outputs(modules: Modules) -> Iterator[Finding]:
    """Outputs that print the kubeconfig; below a root Terraform carries the mark on, if nobody takes it off."""
    tainted = _tainted(modules)
    tops = {id(module) for module in roots(modules)}
    for folder, module in modules.items():
        for output in module.named("output."):
            if output.address not in tainted[folder] or output.body.get("sensitive") is True:
                continue
            if id(module) in tops or _NOT_SENSITIVE.search(output.text):
                yield error(
                    "OUTPUT_NOT_SENSITIVE",
                    module.at(output.address),
                    f"the output holds an administrator's kubeconfig and is not marked ({output.file.name})",
                    "sensitive = true in its block",
                )


def files(modules: Modules) -> Iterator[Finding]:
    """A kubeconfig in a file that others may read; local_file makes it 0777."""
    tainted = _tainted(modules)
    for folder, module in modules.items():
        for block in module.of("local_file", "local_sensitive_file"):
            content = text([block.body.get(name) for name in ("content", "content_base64", "sensitive_content")])
            if not _is_secret(content, tainted[folder]):
                continue
            given = block.body.get("file_permission")
            mode = literal(given)
            if given is None and block.kind == "local_sensitive_file":
                continue  # 0700
            if given is not None and (mode is None or _PERMISSION.match(str(mode))):
                continue
            yield error(
                "KUBECONFIG_FILE_READABLE",
                module.at(block.address),
                f"the kubeconfig is written with mode {mode or '0777, the default'}",
                'local_sensitive_file with file_permission = "0600"',
            )


def state(modules: Modules) -> Iterator[Finding]:
    """The state holds the kubeconfig in clear text (the provider's documentation says so)."""
    for module in roots(modules):
        if not is_applied(module) or not resources(module, modules, CLUSTER):
            continue
        if any(body.get("cloud") or body.get("encryption") for body in module.settings):
            continue
        backends = [
            name.strip('"') for body in module.settings for entry in blocks_in(body, "backend") for name in entry
        ]
        if not backends or "local" in backends:
            yield warning(
                "STATE_PLAINTEXT",
                module.at("terraform.backend"),
                f"the state lies in a local file{'' if backends else ', the default,'} with an administrator's "
                "kubeconfig in clear text",
                "a backend that encrypts and restricts access, or OpenTofu's state encryption; keep the file at 0600",
            )


def _tainted(modules: Modules) -> Tainted:
    """What holds the kubeconfig, by module: outputs, local values and variables that it is handed on by."""
    found: Tainted = {folder: set() for folder in modules}
    while True:
        before = sum(len(names) for names in found.values())
        for folder, module in modules.items():
            carriers = found[folder] | _from_calls(module, found)
            for block in [*module.named("local."), *module.named("output.")]:
                if _is_secret(text(block.body.get("value")), carriers):
                    found[folder].add(block.address)
            for inner, call in module.calls.values():
                if inner in found:
                    handed = {f"var.{name}" for name, value in call.body.items() if _is_secret(text(value), carriers)}
                    found[inner] |= handed
        if sum(len(names) for names in found.values()) == before:
            return {folder: names | _from_calls(modules[folder], found) for folder, names in found.items()}


def _from_calls(module: Module, found: Tainted) -> set[str]:
    """`module.NAME OUTPUT`, for each output of a called module that holds it."""
    return {
        f"{address} {name.removeprefix('output.')}"
        for address, (folder, _) in module.calls.items()
        for name in found.get(folder, set())
        if name.startswith("output.")
    }


def _is_secret(expression: str, carriers: set[str]) -> bool:
    if CLUSTER in expression and _SECRET.search(expression):
        return True
    for carrier in carriers:
        words = carrier.split(" ")
        if all(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", expression) for word in words):
            return True
    return False
