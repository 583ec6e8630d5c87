"""What is shown while a run goes on: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from typing import Protocol

from rich.console import Console
from rich.status import Status

from magflow.engine.verify import Outcome, Result
from magflow.findings import Finding, Severity

MARKS = {
    Outcome.OK: "[green]✓[/]",
    Outcome.WARNING: "[yellow]![/]",
    Outcome.SKIPPED: "[dim]-[/]",
    Outcome.FAILED: "[red]✗[/]",
    Outcome.UNKNOWN: "[red]?[/]",
}


class Progress(Protocol):
    """Is told what happens, as it happens."""

    def heading(self, name: str, title: str = "") -> None:
        """A stage begins."""

    def now(self, words: str) -> None:
        """What the running step does now."""

    def result(self, result: Result) -> None:
        """A check has ended."""

    def finding(self, finding: Finding) -> None:
        """Something was found that the reader should know at once."""

    def done(self, outcome: str, summary: str, seconds: float) -> None:
        """A stage has ended."""


class Screen:
    """Progress on a rich console; without a terminal each event is a line and nothing is repeated."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._status: Status | None = None
        self._name = ""

    def heading(self, name: str, title: str = "") -> None:
        """Prints the stage's name."""
        self.stop()
        self._name = name
        self.console.print(f"[bold]{name}[/]" + (f"  [dim]{title}[/]" if title else ""), soft_wrap=True)

    def now(self, words: str) -> None:
        """Moves the live line on; says nothing without a terminal, where it would only be noise."""
        if not self.console.is_terminal or not words:
            return
        if self._status is None:
            self._status = self.console.status("")
            self._status.start()
        self._status.update(f"{self._name}: {words}")

    def result(self, result: Result) -> None:
        """Prints one line a check, and the hint below it when there is one."""
        self.stop()
        evidence = f"  [dim]{_plain(result.evidence)}[/]" if result.evidence else ""
        self.console.print(
            f"  {MARKS[result.outcome]} {_plain(result.title)}{evidence}", highlight=False, soft_wrap=True
        )
        if result.hint:
            self.console.print(f"      do: {_plain(result.hint)}", highlight=False, soft_wrap=True)
        for finding in result.found:
            self.finding(finding)

    def finding(self, finding: Finding) -> None:
        """Prints where and what, and below it what to do."""
        self.stop()
        colour = "red" if finding.severity is Severity.ERROR else "yellow"
        where = f"[{colour}]{finding.severity}[/] [bold]{_plain(finding.path)}[/]"
        self.console.print(f"    {where}: {_plain(finding.message)}", highlight=False, soft_wrap=True)
        if finding.hint:
            self.console.print(f"      do: {_plain(finding.hint)}", highlight=False, soft_wrap=True)

    def done(self, outcome: str, summary: str, seconds: float) -> None:
        """Prints how the stage ended."""
        self.stop()
        colour = "red" if outcome == "failed" else "green"
        self.console.print(
            f"  [{colour}]{outcome}[/] in {seconds:.1f} s  [dim]{_plain(summary)}[/]", highlight=False, soft_wrap=True
        )

    def stop(self) -> None:
        """Takes the live line off the screen."""
        if self._status is not None:
            self._status.stop()
            self._status = None


def _plain(text: str) -> str:
    # services' answers may hold brackets, which rich would read as markup
    return text.replace("[", r"\[")
