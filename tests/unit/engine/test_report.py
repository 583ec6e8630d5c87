"""Reports say what was seen: counts, JUnit failures, errors and skips."""

from xml.etree import ElementTree

from magflow.engine import report
from magflow.engine.run_folder import RunFolder
from magflow.engine.verify import Outcome, Result

RESULTS = [
    Result("cluster", "a", "a holds", Outcome.OK, "seen", seconds=1.25),
    Result("cluster", "b", "b holds", Outcome.FAILED, "it does not", "mend it"),
    Result("smoke", "c", "c holds", Outcome.SKIPPED, "no GPUs"),
    Result("smoke", "d", "d holds", Outcome.UNKNOWN, "down"),
]


def test_json_and_junit_are_written_for_the_owner(tmp_path):
    run = RunFolder("env", tmp_path).create()
    data = report.write(run, RESULTS, [])
    assert data["counts"] == {"ok": 1, "warning": 0, "skipped": 1, "failed": 1, "unknown": 1}
    assert data["exit_code"] == 1
    assert [check["id"] for check in data["checks"]] == ["a", "b", "c", "d"]
    assert run.checks_json.stat().st_mode & 0o777 == 0o600


def test_junit_counts_each_outcome():
    suites = {suite.get("name"): suite for suite in ElementTree.fromstring(report.junit("env", RESULTS))}
    assert (suites["cluster"].get("tests"), suites["cluster"].get("failures")) == ("2", "1")
    assert (suites["smoke"].get("skipped"), suites["smoke"].get("errors")) == ("1", "1")
    failure = suites["cluster"].find("./testcase/failure")
    assert failure.get("message") == "it does not\nmend it"
