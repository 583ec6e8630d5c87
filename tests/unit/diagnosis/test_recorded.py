"""Recorded answers of clouds, judged again: each file names the public thread or the program that it is after."""

import json
from pathlib import Path

import pytest

from magflow.checks.diagnosis import diagnose
from magflow.checks.diagnosis.model import MEANING, Verdict
from magflow.cli.diagnose import lines
from magflow.cloud.evidence import Evidence

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))


def load(file):
    return json.loads(file.read_text())


def judged(file):
    return diagnose(Evidence(**load(file)["evidence"]))


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_the_verdict_its_first_cause_and_what_it_stands_on(file):
    expect, found = load(file)["expect"], judged(file)
    assert (found.verdict, found.exit_code) == (expect["verdict"], expect["exit"])
    assert (found.causes[0].code if found.causes else None) == expect["first"]
    said = "\n".join(lines(found))
    assert [words for words in expect["says"] if words not in said] == []
    assert [words for words in expect["never"] if words in said] == []
    steps = "\n".join(step for cause in found.causes for step in cause.do)
    assert [words for words in expect["do"] if words not in steps] == []


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_no_text_is_dropped(file):
    seen, found = Evidence(**load(file)["evidence"]), judged(file)
    shown = "\n".join(lines(found))
    if found.verdict not in {Verdict.COMPLETE, Verdict.GONE}:
        assert [text for _, text in seen.texts() if text not in shown] == []


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_the_same_is_said_as_json_and_as_findings(file):
    found = judged(file)
    data = json.loads(json.dumps(found.as_dict()))
    assert data["verdict"] == found.verdict
    assert data["exit_code"] == found.exit_code
    severities = {finding.severity for finding in found.findings}
    assert severities == {0: set(), 1: {"error"}, 2: {"warning"}}[found.exit_code]


def test_each_verdict_has_a_meaning_and_is_recorded():
    assert set(MEANING) == set(Verdict)
    recorded = {load(file)["expect"]["verdict"] for file in RECORDED}
    assert recorded == set(Verdict)


def test_a_look_that_failed_is_told():
    data = load(RECORDED[0])["evidence"] | {"unseen": ["Octavia: you may not"]}
    assert "  not seen: Octavia: you may not" in list(lines(diagnose(Evidence(**data))))
