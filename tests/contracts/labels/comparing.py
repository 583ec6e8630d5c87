"""Holds the table against what was read, and names each difference."""

from __future__ import annotations

from pathlib import Path

import yaml

from magflow.rules.driver import Target
from magflow.rules.labels.standing import Standing, judge
from magflow.rules.labels.table import Reader, table
from magflow.rules.releases import parse

KNOWN = yaml.safe_load((Path(__file__).parent / "known.yml").read_text())


def of_heat(release: str) -> dict[str, Reader]:
    """The labels that the table says Magnum's own drivers read in a release."""
    target = Target("heat", parse(release), "")
    verdicts = {key: judge(spec, target) for key, spec in table().items()}
    return {key: found.reader for key, found in verdicts.items() if found.standing is Standing.READ and found.reader}


def differences(driver: str, says: set[str], reads: dict[str, set[str]]) -> list[str]:
    """Each label that only one of the two has, unless that is known; and what is known but no longer so."""
    known = {(key, place) for place in ("table", "code") for key in known_of(driver, place)}
    found = {(key, "table") for key in says - set(reads)} | {(key, "code") for key in set(reads) - says}
    words = [
        f"{key} is read in {', '.join(sorted(reads[key]))}, and the table lacks it"
        if place == "code"
        else f"{key} is in the table, and no code reads it"
        for key, place in sorted(found - known)
    ]
    return words + [f"{key} is known to be in the {place} alone, and is not" for key, place in sorted(known - found)]


def known_of(driver: str, differs: str) -> set[str]:
    """The labels that are known to differ so."""
    return {item["label"] for item in KNOWN if (item["driver"], item["differs"]) == (driver, differs)}
