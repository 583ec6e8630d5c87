"""The toolchain itself: where each tool is, what is missing, and making it."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import cache_root
from magflow_sandbox.toolchain import debian, go, installed, mirror, needs, table, venv
from magflow_sandbox.toolchain.table import Tier, Tool

Progress = Callable[[str], None]
SETUP = "python -m magflow_sandbox.toolchain ensure --tier demo"
PROVIDER = "terraform-provider-openstack"


def show(text: str) -> None:
    """Print a piece of progress at once."""
    print(text, end="", flush=True)


class Toolchain:
    """The tools of one cache."""

    def __init__(self, cache: Path | None = None, tools: dict[str, Tool] | None = None) -> None:
        self.cache = cache or cache_root()
        self.tools = tools if tools is not None else table.load()

    # -- where things are

    def path(self, program: str, version: str | None = None) -> Path:
        """A program, of the given version or of any that the table has.

        Raises:
            SandboxError: it is not in the table, or not built yet.
        """
        having = [t for t in self.tools.values() if program in t.programs and version in (None, t.version)]
        for tool in having:
            found = self._program(tool, program)
            if found:
                return found
        wanted = f"{program} {version}" if version else program
        if not having:
            raise SandboxError(f"{wanted} is not in the table of tools", hint="see toolchain.toml")
        raise SandboxError(f"{wanted} is not built yet", hint=SETUP)

    def has(self, program: str, version: str | None = None) -> bool:
        """Whether :meth:`path` has an answer."""
        try:
            self.path(program, version)
        except SandboxError:
            return False
        return True

    def module_dir(self, name: str) -> Path:
        """The data folders of a tool's Go module, under the names that they have there.

        Raises:
            SandboxError: not fetched yet.
        """
        folder = self._modules(self.tools[name])
        if not folder.exists():
            raise SandboxError(f"the files of {name} are not fetched yet", hint=SETUP)
        return folder

    def venv(self, name: str) -> Path:
        """A Python environment of the table.

        Raises:
            SandboxError: not installed yet.
        """
        folder = venv.folder(self.tools[name], self.cache)
        if not venv.complete(folder):
            raise SandboxError(f"the {name} environment is not installed yet", hint=SETUP)
        return folder

    def unpacked(self, name: str) -> Path | None:
        """The folder of unpacked Debian packages, None when the program in PATH is used."""
        folder = self._unpacked(self.tools[name])
        return folder if folder.exists() and not self._all_installed(self.tools[name]) else None

    def terraform(self) -> Path:
        """``terraform`` or ``tofu``: from PATH, else the built OpenTofu.

        Raises:
            SandboxError: neither is there.
        """
        return self.path("tofu")

    def cli_config(self) -> Path:
        """The file for ``TF_CLI_CONFIG_FILE``.

        Raises:
            SandboxError: the provider is not built yet.
        """
        return mirror.lay_out(self.tools[PROVIDER], self.path(PROVIDER), self.cache)

    # -- making them

    def missing(self, tier: Tier, only: Sequence[str] = ()) -> list[Tool]:
        """The tools of a tier (of these names only, when names are given) that are not there yet."""
        wanted = [tool for tool in table.within(self.tools, tier) if not only or tool.name in only]
        if tier == "full":
            wanted = [table.itself(tool) for tool in wanted]
        return [tool for tool in wanted if not self._complete(tool)]

    def prerequisites(self, tier: Tier, only: Sequence[str] = ()) -> list[str]:
        """What this machine lacks for a tier, in words, each with its remedy; empty when all is there."""
        return needs.lacking(self.missing(tier, only), self.cache, run=tier != "unit")

    def ensure(self, tier: Tier, progress: Progress = show, only: Sequence[str] = ()) -> None:
        """Make what a tier needs. Quick when all is there; an interrupted run is continued by the next.

        Args:
            tier: what to set up.
            progress: gets pieces of text; each tool's line ends with how long it took.
            only: names of tools, when not all of the tier are wanted.

        Raises:
            SandboxError: something is missing on the machine, or a build failed.
        """
        if not self.missing(tier, only):
            return
        lacking = self.prerequisites(tier, only)
        if lacking:
            raise SandboxError("this machine lacks: " + "; ".join(lacking), hint="install that, then run it again")
        with self._builder(progress):
            wanted = self.missing(tier, only)  # again: another builder may have made them meanwhile
            for number, tool in enumerate(wanted, 1):
                verb = {"go": "building", "data": "fetching"}.get(tool.kind, "installing")
                count = f"{number} of {len(wanted)}, about {tool.minutes} min"
                progress(f"{verb} {tool.name} {tool.version} ({count}) ... ")
                begun = time.monotonic()
                try:
                    self._make(tool)
                except BaseException:
                    progress("failed\n")
                    raise
                progress(f"done in {duration(time.monotonic() - begun)}\n")

    # -- inside

    def _make(self, tool: Tool) -> None:
        work = self.cache / "build" / tool.label
        log = work / "build.log"
        if tool.kind == "venv":
            venv.build(tool, venv.folder(tool, self.cache), log)
        elif tool.kind == "debian":
            debian.build(tool, self._unpacked(tool), log)
        else:
            if tool.programs:
                go.build(tool, self._bin(tool), work)
            if tool.data and not self._modules(tool).exists():
                self._modules(tool).parent.mkdir(parents=True, exist_ok=True)
                go.copy_data(tool, go.module(tool, work), self._modules(tool))
        if tool.name == PROVIDER:
            self.cli_config()

    def _complete(self, tool: Tool) -> bool:
        if tool.kind == "venv":
            return venv.complete(venv.folder(tool, self.cache))
        if tool.kind == "debian":
            return self._unpacked(tool).exists() or self._all_installed(tool)
        if tool.data and not self._modules(tool).exists():
            return False
        return all(self._program(tool, program) for program in tool.programs)

    def _program(self, tool: Tool, program: str) -> Path | None:
        unpacked = tool.kind == "debian"
        built = self._unpacked(tool) / tool.programs[program] if unpacked else self._bin(tool) / program
        if tool.found and not (built.exists() and not tool.found.also):
            found = installed.find(program, tool.version, tool.found)
            if found:
                return found
        return built if built.exists() else None

    def _all_installed(self, tool: Tool) -> bool:
        rule = tool.found
        return rule is not None and all(installed.find(program, tool.version, rule) for program in tool.programs)

    def _bin(self, tool: Tool) -> Path:
        return self.cache / "bin" / tool.label

    def _modules(self, tool: Tool) -> Path:
        return self.cache / "modules" / tool.label

    def _unpacked(self, tool: Tool) -> Path:
        return self.cache / tool.label

    @contextmanager
    def _builder(self, progress: Progress) -> Iterator[None]:
        self.cache.mkdir(parents=True, exist_ok=True)
        with (self.cache / "build.lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("waiting for another set-up that uses the same cache ...\n")
                fcntl.flock(file, fcntl.LOCK_EX)
            yield


def duration(seconds: float) -> str:
    """``231`` -> ``3m51s``."""
    whole = round(seconds)
    return f"{whole // 60}m{whole % 60:02d}s" if whole >= 60 else f"{whole}s"
