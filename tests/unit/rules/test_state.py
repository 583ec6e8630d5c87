"""What is said of the place of Terraform's state."""

import pytest

from magflow.checks.model import Problem, Warned
from magflow.checks.preflight.state import state_is_protected
from magflow.checks.world import World
from magflow.rules.state import look
from magflow.settings import Backend

URL = "postgres://magflow:5ecret@db.example.org/states"


@pytest.fixture
def settings(sandbox):
    return sandbox.settings


@pytest.fixture
def in_database(settings):
    return settings.model_copy(update={"terraform": Backend(backend="pg")})


def codes(settings, environ):
    return [finding.code for finding in look(settings, environ).findings]


def test_a_plain_file_is_warned_of(settings):
    assert codes(settings, {}) == ["STATE_PLAINTEXT"]
    assert codes(settings, {"TF_ENCRYPTION": "state {}"}) == []


def test_a_database_needs_a_name_and_tls(in_database):
    assert codes(in_database, {}) == ["STATE_DATABASE_UNNAMED"]
    assert codes(in_database, {"PG_CONN_STR": "5ecret"}) == ["STATE_DATABASE_UNREADABLE"]
    assert codes(in_database, {"PG_CONN_STR": URL + "?sslmode=disable"}) == ["STATE_WITHOUT_TLS"]
    assert codes(in_database, {"PG_CONN_STR": URL + "?sslmode=verify-full"}) == []


def test_no_finding_shows_the_password(in_database):
    for given in ("5ecret", URL + "?sslmode=disable", "postgres://u:5ecret@h:5x/db?nonsense=1"):
        kept = look(in_database, {"PG_CONN_STR": given})
        assert kept.findings
        assert "5ecret" not in repr(kept)


def test_preflight_says_it(settings, in_database, tmp_path, monkeypatch):
    for name in ("PG_CONN_STR", "PGSSLMODE", "TF_ENCRYPTION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Warned):
        state_is_protected.probe(World(settings, tmp_path / "kubeconfig"))
    with pytest.raises(Problem) as problem:
        state_is_protected.probe(World(in_database, tmp_path / "kubeconfig"))
    assert problem.value.findings[0].code == "STATE_DATABASE_UNNAMED"
    monkeypatch.setenv("PG_CONN_STR", URL)
    assert state_is_protected.probe(World(in_database, tmp_path / "kubeconfig")) == "PostgreSQL, over TLS"
