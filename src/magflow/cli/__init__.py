"""The command line: parse, call, print. Everything else is imported only when a command needs it."""

from __future__ import annotations

import importlib.metadata
import os
import sys

import typer
from rich.console import Console

from magflow import __version__
from magflow.cli import check, commands, diagnose, labels
from magflow.errors import CannotTell, MagflowError

app = typer.Typer(
    name="magflow",
    help="Turns a bare-metal OpenStack cloud into a machine-learning platform and proves each step.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
app.command("check")(check.check)
app.command("labels")(labels.labels)
app.command("plan")(commands.plan)
app.command("deploy")(commands.deploy)
app.command("verify")(commands.verify)
app.command("status")(commands.status)
app.command("destroy")(commands.destroy)
app.command("diagnose")(diagnose.diagnose)
app.command("leftovers")(diagnose.leftovers)


@app.callback(invoke_without_command=True)
def _options(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        print(__version__)
        raise typer.Exit


def _mount() -> None:
    # other distributions add commands by this entry point: the sandbox does, and imports nothing of this package
    wanted = next((word for word in sys.argv[1:] if not word.startswith("-")), None)
    for entry in importlib.metadata.entry_points(group="magflow.commands"):
        if wanted in {None, entry.name} or "_MAGFLOW_COMPLETE" in os.environ:
            app.add_typer(entry.load(), name=entry.name)


def main() -> None:
    """The entry point; turns errors into words and exit codes (0 good, 1 finding or failure, 2 could not tell)."""
    console = Console(stderr=True)
    # what the programs that are run write into the run folder is for its owner alone, too
    os.umask(0o077)
    _mount()
    try:
        app()
    except MagflowError as error:
        show_error(console, error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        console.print("stopped; the same command goes on from here")
        sys.exit(130)
    except BrokenPipeError:
        os._exit(141)


def show_error(console: Console, error: MagflowError) -> None:
    """Prints an error: what, where, what to do."""
    kind = "cannot tell" if isinstance(error, CannotTell) else "error"
    console.print(f"[bold red]{kind}:[/] ", end="", highlight=False)
    console.print(error.what, markup=False, highlight=False, soft_wrap=True)
    for name, text in (("where", error.where), ("do", error.hint), ("code", error.code)):
        if text:
            console.print(f"  {name}: {text}", markup=False, highlight=False, soft_wrap=True)
