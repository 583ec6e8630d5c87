"""The gates and test tiers, one session each; every session uses the environment that scripts/setup made."""

import sys
import tempfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "unit", "contracts"]

TIERS = {
    "unit": "nothing running",
    "contracts": "terraform and ansible",
    "roles": "a real Kubernetes API server",
    "sandbox": "the whole sandbox cloud",
}


@nox.session
def lint(session: nox.Session) -> None:
    """Formatting, linting and types."""
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


def tier(name: str) -> None:
    @nox.session(name=name)
    def run(session: nox.Session) -> None:
        session.run("python", "-m", "pytest", f"tests/{name}", *session.posargs)

    run.__doc__ = f"Tests that need {TIERS[name]}."


for name in TIERS:
    tier(name)


@nox.session
def bench(session: nox.Session) -> None:
    """Measures against peers in the same run, and prints ratios; docs/benchmarks.md keeps them."""
    for file in sorted(Path("tests/bench").glob("bench_*.py")):
        session.run("python", str(file), *session.posargs)


@nox.session
def full(session: nox.Session) -> None:
    """The long runs: many clusters, many kills; hours, not minutes."""
    session.run("python", "-m", "pytest", "tests/full", *session.posargs)
    bench(session)


@nox.session
def docs(session: nox.Session) -> None:
    """Writes what is generated: the schema of the settings and the pages and READMEs that come from code and tables."""
    session.run("python", "-m", "magflow.generate")


@nox.session
def pin(session: nox.Session) -> None:
    """Writes requirements.txt: requirements.in, resolved in an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        session.run(sys.executable, "-m", "venv", folder, external=True)
        pip = f"{folder}/bin/pip"
        session.run(pip, "install", "--quiet", "--requirement", "requirements.in", external=True)
        frozen = session.run(pip, "freeze", external=True, silent=True)
    head = (
        "# The pinned set to run and to test Magflow: requirements.in, resolved on Python 3.11. Made by: nox -s pin\n"
    )
    Path("requirements.txt").write_text(f"{head}{frozen}-e .\n")
