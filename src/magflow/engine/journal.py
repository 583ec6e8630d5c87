"""What happened, one JSON object a line, in order; the base of resume and of the time that stages take.

Plans, state and variables are never journaled: they may hold credentials.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Done:
    """A stage of the last run that ended well: the digest of its inputs and the seconds it took."""

    digest: str
    seconds: float


class Journal:
    """An append-only file; a line that was cut by a crash is passed over."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def write(self, event: str, **data: Any) -> None:
        """Appends one event and makes it durable."""
        line = json.dumps({"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **data})
        handle = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            cut = os.fstat(handle).st_size and not self.file.read_bytes().endswith(b"\n")
            os.write(handle, (b"\n" if cut else b"") + line.encode() + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)

    def events(self) -> Iterator[dict[str, Any]]:
        """All events, oldest first."""
        if not self.file.is_file():
            return
        for line in self.file.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and "event" in event:
                yield event

    def interrupted(self, stage: str) -> bool:
        """Whether an earlier run ended in the middle of the stage: the run that asks has begun it too."""
        begun = 0
        for event in self.events():
            if event["event"] in {"stage_finished", "destroy_finished"} and event.get("stage", stage) == stage:
                begun = 0
            elif event["event"] == "stage_started" and event["stage"] == stage:
                begun += 1
        return begun > 1

    def unfinished(self) -> dict[str, Done]:
        """Stages that ended well in deploys that did not; empty when the last deploy ended well or was undone."""
        done: dict[str, Done] = {}
        for event in self.events():
            match event["event"]:
                case "deploy_finished" | "destroy_started":
                    done = {}
                case "stage_finished":
                    done[event["stage"]] = Done(event["digest"], event["seconds"])
                case "stage_started":
                    done.pop(event["stage"], None)
        return done
