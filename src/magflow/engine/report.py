"""Verification as data: checks.json and JUnit, written after every run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from magflow.engine.run_folder import RunFolder
from magflow.engine.verify import Outcome, Result, exit_code
from magflow.private import write_private


def as_data(env: str, results: Sequence[Result], stages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The report as plain data; the same that `--json` prints."""
    return {
        "environment": env,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "exit_code": exit_code(results),
        "counts": {str(outcome): sum(result.outcome is outcome for result in results) for outcome in Outcome},
        "stages": list(stages),
        "checks": [result.as_dict() for result in results],
        "findings": [finding.as_dict() for result in results for finding in result.findings],
    }


def write(run: RunFolder, results: Sequence[Result], stages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Writes checks.json and checks.xml into the run folder and returns the data."""
    data = as_data(run.env, results, stages)
    run.write_json(run.checks_json, data)
    write_private(run.checks_junit, junit(run.env, results))
    return data


def junit(env: str, results: Sequence[Result]) -> str:
    """JUnit XML: a suite a stage, a case a check; what could not be told is an error."""
    document = JUnitXml(f"magflow {env}")
    for stage in dict.fromkeys(result.stage for result in results):
        suite = TestSuite(stage)
        for result in (result for result in results if result.stage == stage):
            case = TestCase(
                name=f"{result.id}: {result.title}", classname=f"{env}.{stage}", time=round(result.seconds, 3)
            )
            found = (f"{finding.path}: {finding.message}" for finding in result.found)
            text = "\n".join(line for line in (result.evidence, result.hint, *found) if line)
            match result.outcome:
                case Outcome.FAILED:
                    case.result = [Failure(text)]
                case Outcome.UNKNOWN:
                    case.result = [Error(text)]
                case Outcome.SKIPPED:
                    case.result = [Skipped(text)]
                case _:
                    case.system_out = text
            suite.add_testcase(case)
        document.add_testsuite(suite)
    written: bytes = document.tostring()  # type: ignore[no-untyped-call]
    return written.decode()
