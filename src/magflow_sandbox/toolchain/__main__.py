"""``python -m magflow_sandbox.toolchain``: make and find external programs."""

from __future__ import annotations

import argparse
import sys

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.toolchain import TIERS, Toolchain


def main(argv: list[str] | None = None) -> int:
    """The command line; 0 good, 1 failed or something is missing."""
    parser = argparse.ArgumentParser(prog="python -m magflow_sandbox.toolchain", description=main.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("ensure", "make what a tier needs"),
        ("missing", "list the tools that are not made yet"),
        ("prerequisites", "list what this machine lacks"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--tier", choices=TIERS, default="demo")
        command.add_argument("tools", nargs="*", help="only these")
    commands.add_parser("path", help="print where a program is").add_argument("program")
    given = parser.parse_args(argv)
    tools = Toolchain()
    try:
        if given.command == "path":
            print(tools.path(given.program))
        elif given.command == "ensure":
            tools.ensure(given.tier, only=given.tools)
        else:
            missing = [f"{tool.name} {tool.version}" for tool in tools.missing(given.tier, given.tools)]
            found = tools.prerequisites(given.tier, given.tools) if given.command == "prerequisites" else missing
            print("\n".join(found) or "nothing")
            return 1 if found else 0
    except SandboxError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted; the next run goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
