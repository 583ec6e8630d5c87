"""Terraform's JSON events, and its errors in words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from magflow.engine.terraform import provider_errors
from magflow.engine.terraform.provider_errors import StatusRace
from magflow.errors import CannotTell, MagflowError

# Summaries that say less than their detail, whose first paragraph is the sentence of our own rule.
_RULES = (
    "Invalid value for variable",
    "Resource precondition failed",
    "Resource postcondition failed",
    "Module output value precondition failed",
)
_LOOKED_UP = {
    "openstack_images_image_v2": "image",
    "openstack_compute_flavor_v2": "flavor",
    "openstack_networking_network_v2": "network",
}
_NOTHING = re.compile(r"Your query returned no results", re.IGNORECASE)
_LOOK_UP = re.compile(r'data\.(\w+)\.\w+\["([^"]*)"\]')
_NO_CLIENT = re.compile(r"^Error creating OpenStack [\w ]+ client: ")


@dataclass(frozen=True)
class Diagnostic:
    """An error or a warning.

    Args:
        severity: `error` or `warning`.
        summary: Terraform's or the provider's first line.
        detail: the rest; may be empty.
        address: the resource it is about.
        place: FILE:LINE of the configuration.
    """

    severity: str
    summary: str
    detail: str = ""
    address: str | None = None
    place: str | None = None

    @property
    def known(self) -> provider_errors.Known | None:
        """What is known of the error."""
        return provider_errors.classify(f"{self.summary}\n{self.detail}")

    @property
    def race(self) -> provider_errors.Race | None:
        """The look that came too early, if the error is one."""
        return provider_errors.race(f"{self.summary}\n{self.detail}", self.address)

    @property
    def text(self) -> str:
        """The problem in one line, with the service's own words."""
        looked_up = _LOOK_UP.search(self.address or "")
        if _NOTHING.search(self.summary + self.detail) and looked_up:
            kind = _LOOKED_UP.get(looked_up[1], looked_up[1])
            return f"the cloud has no {kind} '{looked_up[2]}' that this project may use"
        paragraph = " ".join(self.detail.split("\n\n")[0].split())
        if self.summary in _RULES and paragraph:
            return paragraph
        summary = " ".join(self.summary.split())
        return f"{summary}: {paragraph}" if paragraph else summary

    @property
    def hint(self) -> str | None:
        """What to do, where that is known."""
        return self.known.hint if self.known else None


@dataclass(frozen=True)
class Event:
    """One line of Terraform's output.

    Args:
        kind: Terraform's `type` (apply_start, apply_progress, apply_complete, diagnostic ...), or `text` for a line
            that is not JSON.
        message: the line for a reader.
        address: the resource it is about.
        action: create, update, delete, replace, read or noop.
        elapsed: seconds since the resource's action began.
        diagnostic: set for errors and warnings.
    """

    kind: str
    message: str
    address: str | None = None
    action: str | None = None
    elapsed: float | None = None
    diagnostic: Diagnostic | None = None


def parse(line: str) -> Event | None:
    """The event of one line; None for an empty one."""
    line = line.strip()
    if not line:
        return None
    try:
        data = json.loads(line)
        if not isinstance(data, dict):
            raise ValueError
    except ValueError:
        return Event("text", line)
    inner = data.get("hook") or data.get("change") or {}
    elapsed = inner.get("elapsed_seconds")
    diagnostic = _diagnostic(data["diagnostic"]) if isinstance(data.get("diagnostic"), dict) else None
    return Event(
        kind=str(data.get("type", "text")),
        message=str(data.get("@message", "")),
        address=(inner.get("resource") or {}).get("addr") or (diagnostic.address if diagnostic else None),
        action=inner.get("action"),
        elapsed=None if elapsed is None else float(elapsed),
        diagnostic=diagnostic,
    )


def error(command: str, events: Sequence[Event], status: int | None, log: Path) -> MagflowError:
    """The error of a failed command, in its own words.

    Args:
        command: Terraform's sub-command.
        events: what it said.
        status: its exit status; None when another process started it.
        log: the file that holds everything it said.
    """
    found = [event.diagnostic for event in events if event.diagnostic and event.diagnostic.severity == "error"]
    if not found:
        return _silent(command, events, status, log)
    first = found[0]
    # A rule in a module and the same rule in the stack fail together: their sentences differ, the reader needs all.
    others = list(dict.fromkeys(item.text for item in found[1:] if item.text != first.text))
    place = ", ".join(part for part in (first.address, first.place, f"log {log}") if part)
    if _NO_CLIENT.search(first.text):  # one for each service, all for the same reason
        return CannotTell(
            "the cloud refuses us or does not answer: " + _NO_CLIENT.sub("", first.text),
            where=place,
            hint=first.hint
            or "look at this cloud's entry in clouds.yaml (address, credentials, cacert) and at the cloud itself",
            code=first.known.code if first.known else None,
        )
    what = "; ".join([first.text, *others])
    races = [item.race for item in found if item.race]
    if len(races) == len(found):
        return StatusRace(races, what, place, first.hint)
    return MagflowError(what, where=place, hint=first.hint, code=first.known.code if first.known else None)


def _silent(command: str, events: Sequence[Event], status: int | None, log: Path) -> MagflowError:
    said = next((event.message for event in reversed(events) if event.kind == "text"), "no word of why")
    if status is not None and status < 0:
        return MagflowError(
            f"terraform {command} was ended by signal {-status}",
            where=f"log {log}",
            hint="what it had begun may be missing in its state; look for it in the cloud before the next run",
        )
    return MagflowError(f"terraform {command} failed (exit {status}): {said}", where=f"log {log}")


def plain_errors(text: str) -> list[Event]:
    """The errors in output for people (`terraform init` has no JSON in every version)."""
    cleaned = re.sub(r"[│╷╵]", "", text)
    blocks = re.split(r"^\s*(?=Error: )", cleaned, flags=re.MULTILINE)[1:]
    return [_plain(block) for block in blocks]


def _plain(block: str) -> Event:
    first, _, rest = block.partition("\n")
    summary = first.removeprefix("Error: ").strip()
    return Event("diagnostic", summary, diagnostic=Diagnostic("error", summary, rest.strip()))


def _diagnostic(data: dict[str, Any]) -> Diagnostic:
    span = data.get("range") or {}
    place = f"{span['filename']}:{span['start']['line']}" if span.get("filename") and span.get("start") else None
    return Diagnostic(
        severity=str(data.get("severity", "error")),
        summary=str(data.get("summary", "")),
        detail=str(data.get("detail", "")),
        address=data.get("address"),
        place=place,
    )
