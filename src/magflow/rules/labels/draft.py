"""The labels of one cluster while they are being compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from magflow.findings import Finding, error, warning
from magflow.rules.driver import Target
from magflow.rules.labels.check import instead, place, unread
from magflow.rules.labels.model import Label, Replaced
from magflow.rules.labels.standing import Standing, Verdict, judge
from magflow.rules.labels.table import table
from magflow.settings import Settings


@dataclass
class Draft:
    """What has been compiled so far.

    Attributes:
        settings: of one cluster.
        target: its driver and release.
        labels: of the template, by key.
        attributes: of the template beside its labels.
        replaced: what was asked for and the driver does not do.
        findings: what is wrong, or should be known.
    """

    settings: Settings
    target: Target
    labels: dict[str, Label] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    replaced: list[Replaced] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def reads(self, key: str) -> bool:
        """Whether this driver and release read a label."""
        return self._judge(key).standing is Standing.READ

    def default(self, key: str) -> str | None:
        """What the driver takes without a label; None: nothing, or it is computed."""
        reader = table()[key].readers.get(self.target.driver)
        return reader.default_of(self.target.release) if reader else None

    def ask(self, key: str, value: str, path: str, reason: str, *, intent: str = "", needed: bool = False) -> bool:
        """Sends a label if the driver reads it; else says what becomes of it.

        Args:
            key: the label.
            value: what it is to be.
            path: key path of the settings that ask for it.
            reason: why, one sentence.
            intent: what is asked for, in a few words; empty: the label's own description.
            needed: whether the cluster would be something else without it: then it is an error.

        Returns:
            Whether it is sent.
        """
        spec, verdict = table()[key], self._judge(key)
        if verdict.standing is Standing.READ and verdict.reader:
            note = self.default(key)
            if note and note != value:
                reason += f"; the driver's default is {note}"
            self.labels[key] = Label(key, value, reason, verdict.reader.source, path)
            return True
        intent = intent or spec.about.rstrip(".")
        if verdict.standing in (Standing.TOO_NEW, Standing.REFUSED):
            self.findings.append(unread(spec, path, verdict.standing, verdict.why, self.target.driver))
        else:
            inert = verdict.standing is Standing.REMOVED
            why, driver = f"{key} {verdict.why}", self.target.driver
            self.replaced.append(Replaced(intent, path, spec.stage, f"{why}; {place(spec, driver)}"))
            make = error if needed else warning
            code = "LABEL_INERT" if inert else "LABEL_IGNORED"
            self.findings.append(make(code, path, f"{intent}: {why}", instead(spec, driver)))
        return False

    def _judge(self, key: str) -> Verdict:
        settings = self.settings
        return judge(table()[key], self.target, settings.image.os_distro, settings.cluster.server_type)
