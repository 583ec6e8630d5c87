"""The database of the state: from the environment alone, with TLS alone, shown nowhere."""

import pytest
from psycopg import conninfo

from magflow.engine.run_folder import RunFolder
from magflow.engine.terraform.root import LOCAL
from magflow.engine.terraform.state import State
from magflow.errors import CannotTell, MagflowError
from magflow.settings import Backend

PASSWORD = "p#5ecret/%"
URL = "postgres://magflow:p%235ecret%2F%25@db.example.org:5433/states"


@pytest.fixture
def of(sandbox, tmp_path):
    def build(environ, stack="cluster", **backend):
        chosen = Backend.model_validate({"backend": "pg"} | backend)
        settings = sandbox.settings.model_copy(update={"terraform": chosen})
        return State.of(settings, stack, RunFolder("research", tmp_path), environ)

    return build


def test_a_local_state_needs_nothing(of):
    state = of({}, backend="local")
    assert (state.backend, state.environment({}), state.encrypted) == (LOCAL, {}, False)


def test_opentofu_is_told_how_to_encrypt(of):
    state = of({"TF_ENCRYPTION": "key_provider {}"}, backend="local")
    assert state.encrypted
    assert state.environment({"TF_ENCRYPTION": "key_provider {}"}) == {"TF_ENCRYPTION": "key_provider {}"}


@pytest.mark.parametrize(
    ("given", "stack", "schema"),
    [({}, "cluster", "research"), ({}, "image", "research-image"), ({"schema": "mine"}, "image", "mine-image")],
)
def test_every_stack_has_a_schema_of_its_own(of, given, stack, schema):
    assert f'schema_name = "{schema}"' in of({"PG_CONN_STR": URL}, stack, **given).backend


def test_the_password_goes_apart_and_nowhere_else(of):
    state = of({"PG_CONN_STR": URL + "?sslmode=verify-full"})
    added = state.environment({})
    assert added["PGPASSWORD"] == PASSWORD
    assert PASSWORD not in added["PG_CONN_STR"]
    parts = conninfo.conninfo_to_dict(added["PG_CONN_STR"])
    assert (parts["host"], parts["port"], parts["sslmode"]) == ("db.example.org", "5433", "verify-full")
    assert "pid" in parts["application_name"]
    assert PASSWORD not in repr(state) + state.backend
    assert "db.example.org" not in repr(state) + state.backend


def test_without_a_database_it_says_how_to_name_one(of):
    with pytest.raises(CannotTell) as error:
        of({})
    assert error.value.where == "PG_CONN_STR"
    assert "sslmode=verify-full" in error.value.hint


@pytest.mark.parametrize("given", ["postgres://u:5ecret@h:54x2/db?nonsense=1", "5ecret and no more"])
def test_a_malformed_string_is_not_repeated(of, given):
    with pytest.raises(CannotTell, match="no connection string") as error:
        of({"PG_CONN_STR": given})
    assert "5ecret" not in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize(
    ("environ", "where"),
    [
        ({"PG_CONN_STR": URL + "?sslmode=disable"}, "PG_CONN_STR, sslmode"),
        ({"PG_CONN_STR": URL + "?sslmode=prefer"}, "PG_CONN_STR, sslmode"),
        ({"PG_CONN_STR": URL, "PGSSLMODE": "disable"}, "PGSSLMODE"),
    ],
)
def test_a_connection_without_tls_is_refused(of, environ, where):
    with pytest.raises(MagflowError, match="clear text") as error:
        of(environ)
    assert (error.value.where, error.value.code) == (where, "STATE_WITHOUT_TLS")
    assert PASSWORD not in str(error.value)


@pytest.mark.parametrize(
    "environ",
    [
        {"PG_CONN_STR": URL},  # Terraform's client then requires TLS
        {"PG_CONN_STR": URL + "?sslmode=require", "PGSSLMODE": "disable"},
        {"PG_CONN_STR": "host=db.example.org dbname=states sslmode=verify-ca"},
    ],
)
def test_a_connection_with_tls_is_taken(of, environ):
    assert of(environ).schema == "research"
