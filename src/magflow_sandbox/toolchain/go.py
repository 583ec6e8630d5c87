"""Builds programs and takes data files from Go modules.

``go install package@version`` refuses modules whose go.mod has replace directives (Kubernetes and others), so each
tool gets a module of its own here that requires it and repeats its requirements and remote replacements.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.toolchain.table import Tool


def build(tool: Tool, folder: Path, work: Path) -> None:
    """Build a tool's programs into ``folder``; each appears there complete or not at all.

    Args:
        tool: of kind ``go``.
        folder: of the finished programs.
        work: for go.mod and the log of this tool; kept, so that a second try goes on where the first ended.

    Raises:
        SandboxError: the module cannot be fetched or does not build.
    """
    work.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    source = module(tool, work)
    _write_module(tool, source, work)
    flags = " ".join(filter(None, ("-s -w", tool.ldflags)))
    for program, package in tool.programs.items():
        if (folder / program).exists():
            continue
        for left in folder.glob(f".{program}.*"):  # of a build that was killed
            left.unlink(missing_ok=True)
        temporary = folder / f".{program}.{os.getpid()}"  # a name of its own: a killed build's compiler may still write
        _go(["build", "-ldflags", flags, "-o", str(temporary), package], work, tool)
        temporary.replace(folder / program)


def module(tool: Tool, work: Path) -> Path:
    """Fetch a tool's module and return its folder in Go's module cache (read only).

    Raises:
        SandboxError: it cannot be fetched.
    """
    work.mkdir(parents=True, exist_ok=True)
    found = json.loads(_go(["mod", "download", "-json", f"{tool.module}@{tool.version}"], work, tool, own=False))
    return Path(found["Dir"])


def copy_data(tool: Tool, source: Path, folder: Path) -> None:
    """Copy a module's data folders (writable, so that they can be removed again); complete or not at all."""
    temporary = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(temporary, ignore_errors=True)
    for part in tool.data:
        shutil.copytree(source / part, temporary / part, copy_function=shutil.copyfile)
    for parent, _, _ in os.walk(temporary):
        Path(parent).chmod(0o755)
    temporary.replace(folder)


def module_file(tool: Tool, upstream: dict[str, Any]) -> str:
    """The go.mod of the build from the parsed one of the tool's module (``go mod edit -json``)."""
    lines = [f"module magflow.tools/{tool.name}", f"go {upstream['Go']}"]
    replaced = upstream.get("Replace") or []
    local = {entry["Old"]["Path"] for entry in replaced if entry["New"]["Path"].startswith(".")}
    for entry in upstream.get("Require") or []:
        version = entry["Version"]
        if entry["Path"] in local and version == "v0.0.0" and tool.staging:
            version = tool.staging  # Kubernetes' staging modules are published under a version of their own
        lines.append(f"require {entry['Path']} {version}")
    lines.append(f"require {tool.module} {tool.version}")
    for entry in replaced:
        old, new = entry["Old"], entry["New"]
        if old["Path"] not in local:
            lines.append(f"replace {old['Path']} {old.get('Version', '')} => {new['Path']} {new['Version']}")
    lines += [f"exclude {entry['Path']} {entry['Version']}" for entry in upstream.get("Exclude") or []]
    return "\n".join(lines) + "\n"


def _write_module(tool: Tool, source: Path, work: Path) -> None:
    upstream = json.loads(_go(["mod", "edit", "-json", str(source / "go.mod")], work, tool, own=False))
    (work / "go.mod").write_text(module_file(tool, upstream))
    if (source / "go.sum").exists():
        shutil.copyfile(source / "go.sum", work / "go.sum")
    imports = "".join(f'\t_ "{package}"\n' for package in tool.programs.values())
    (work / "tools.go").write_text(f"//go:build tools\n\npackage tools\n\nimport (\n{imports})\n")


def _go(arguments: list[str], work: Path, tool: Tool, *, own: bool = True) -> str:
    flags = "-buildvcs=false -trimpath" + (" -mod=mod" if own else "")
    env = {**os.environ, "GOFLAGS": flags, "CGO_ENABLED": "0"}
    log = work / "build.log"
    with log.open("w") as errors:
        command = ["nice", "-n", "10", "go", *arguments]
        cwd = work if own else work.parent
        done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=errors, text=True, check=False)
    if done.returncode:
        shown = " | ".join((log.read_text().strip() or done.stdout.strip()).splitlines()[-4:])
        hint = "read the log; is the Go module proxy reachable, is Go recent enough?"
        raise SandboxError(f"go {arguments[0]} of {tool.name} failed: {shown[:600]}", where=log, hint=hint)
    return done.stdout
