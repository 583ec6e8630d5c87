"""Where the state lies: in a real PostgreSQL with locks and TLS, or encrypted by OpenTofu."""

from __future__ import annotations

import json
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from magflow import settings_file
from magflow.engine.run_folder import RunFolder
from magflow.engine.terraform import Event, write_root
from magflow.engine.terraform.environment import environment
from magflow.engine.terraform.state import State
from magflow.engine.terraform.state_lock import LockedState
from magflow.errors import CannotTell, MagflowError
from magflow.settings import Settings

from . import postgres
from .postgres import PASSWORD, Database
from .test_runner import SECRET, SLOW, STACK, wait_for

Make = Callable[..., LockedState]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with postgres.running(tmp_path_factory.mktemp("postgres"), postgres.programs()) as made:
        yield made


@pytest.fixture
def settings() -> Settings:
    return settings_file.load("sandbox").settings


@pytest.fixture
def make(program: str, tmp_path: Path, settings: Settings) -> Make:
    """The runner of one operator: a run folder of their own, the same environment."""

    def build(operator: str, environ: dict[str, str], backend: str = "pg", more: str = "") -> LockedState:
        stack = tmp_path / "package" / "stacks" / "things"
        stack.mkdir(parents=True, exist_ok=True)
        (stack / "main.tf").write_text(STACK % SECRET + more)
        run = RunFolder("research", tmp_path / operator)
        given = settings.terraform.model_copy(update={"backend": backend, "schema_name": f"of-{Path(program).name}"})
        state = State.of(settings.model_copy(update={"terraform": given}), "cluster", run, environ)
        folder = run.create().terraform
        write_root(folder, stack, {"thing": {"name": "one"}}, state.backend)
        return LockedState(program, folder, state.environment(environ), folder / "terraform.log", state=state)

    return build


def apply(terraform: LockedState) -> LockedState:
    terraform.init()
    terraform.plan()
    terraform.apply()
    return terraform


def test_the_state_lies_in_the_database_alone(make: Make, database: Database, program: str) -> None:
    environ = {"PG_CONN_STR": database.url()}
    terraform = apply(make("one", environ))
    assert terraform.output()["kubeconfig"] == SECRET
    with psycopg.connect(environ["PG_CONN_STR"]) as connection:
        (held,) = connection.execute(f'SELECT data FROM "of-{Path(program).name}".states').fetchone() or ("",)
    assert json.loads(held)["outputs"]["kubeconfig"]["value"] == SECRET
    assert not (terraform.folder / "terraform.tfstate").exists()
    assert make("another machine", environ).folder != terraform.folder
    again = make("another machine", environ)
    again.init()
    assert again.plan().empty
    for folder in (terraform.folder, again.folder):
        assert [name for name, text in contents(folder) if PASSWORD.encode() in text] == []
    terraform.destroy()


def test_two_at_once_the_second_is_told_who_holds_it(make: Make, database: Database) -> None:
    environ = {"PG_CONN_STR": database.url()}
    apply(make("first", environ))  # so that both lock a state that is there
    first = make("first", environ, more=SLOW)
    first.init()
    first.plan()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            first.apply()
        except BaseException as error:
            failed.append(error)

    at_work = threading.Thread(target=run)
    at_work.start()
    try:
        wait_for(first.folder / "starts")
        second = make("second", environ)
        second.init()
        for refused in (second.plan, second.destroy):
            with pytest.raises(
                CannotTell, match=r"the state is locked by \S+@\S+ pid \d+ \(database user magflow"
            ) as error:
                refused()
            assert "since 2" in error.value.what
            assert "wait until it ends" in (error.value.hint or "")
            assert error.value.code == "STATE_LOCKED"
            assert PASSWORD not in str(error.value)
    finally:
        (first.folder / "go").touch()
        at_work.join(60)
    assert failed == []
    assert second.plan().deleted, "the lock went with the first"
    second.destroy()


def test_a_first_apply_is_locked_too(make: Make, database: Database) -> None:
    """Before there is a row to lock, the backend locks the making of one."""
    environ = {"PG_CONN_STR": database.url()}
    first = make("first", environ, more=SLOW)
    first.init()
    first.plan()
    at_work = threading.Thread(target=first.apply)
    at_work.start()
    try:
        wait_for(first.folder / "starts")
        second = make("second", environ)
        second.init()
        with pytest.raises(CannotTell, match="the state is locked by"):
            second.plan()
    finally:
        (first.folder / "go").touch()
        at_work.join(60)
    first.destroy()


def test_a_certificate_of_another_is_refused(make: Make, database: Database) -> None:
    terraform = make("one", {"PG_CONN_STR": database.url().replace("127.0.0.1", "localhost")})
    with pytest.raises(MagflowError, match="certificate") as error:
        terraform.init()
    assert PASSWORD not in str(error.value) + terraform.log.read_text()


def test_the_database_itself_refuses_a_connection_without_tls(database: Database) -> None:
    with pytest.raises(psycopg.OperationalError, match="no encryption"):
        psycopg.connect(database.url("disable"))


ENCRYPTION = """
key_provider "pbkdf2" "mine" {
  passphrase = "correct horse battery staple"
}
method "aes_gcm" "mine" {
  keys = key_provider.pbkdf2.mine
}
state {
  method   = method.aes_gcm.mine
  enforced = true
}
plan {
  method   = method.aes_gcm.mine
  enforced = true
}
"""


def test_opentofu_encrypts_the_state(make: Make, program: str) -> None:
    if Path(program).name != "tofu":
        pytest.skip("Terraform knows no state encryption")
    terraform = apply(make("one", {"TF_ENCRYPTION": ENCRYPTION}, backend="local"))
    assert terraform.output()["kubeconfig"] == SECRET
    state = (terraform.folder / "terraform.tfstate").read_text()
    assert "encrypted_data" in json.loads(state)
    assert [name for name, text in contents(terraform.folder) if SECRET.encode() in text] == []
    without = make("one", {}, backend="local")
    with pytest.raises(MagflowError, match="encrypt"):
        without.plan()


BEFORE = ENCRYPTION.replace(
    "state {", 'method "unencrypted" "before" {}\nstate {\n  fallback {\n    method = method.unencrypted.before\n  }'
).replace("  enforced = true\n", "", 1)


def test_a_state_in_clear_text_is_encrypted(make: Make, program: str) -> None:
    """The way of docs/state.md: a fallback for the first run alone."""
    if Path(program).name != "tofu":
        pytest.skip("Terraform knows no state encryption")
    apply(make("one", {}, backend="local"))
    once = make("one", {"TF_ENCRYPTION": BEFORE}, backend="local", more='output "more" {\n  value = 1\n}\n')
    apply(once)
    assert "encrypted_data" in json.loads((once.folder / "terraform.tfstate").read_text())
    after = make("one", {"TF_ENCRYPTION": ENCRYPTION}, backend="local")
    assert not after.plan().changes


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a run folder but the providers, plans unpacked."""
    for file in folder.rglob("*"):
        if not file.is_file() or "providers" in file.parts:
            continue
        yield file.name, file.read_bytes()
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as plan:
                yield from ((f"{file.name}/{name}", plan.read(name)) for name in plan.namelist())


def test_a_local_lock_names_its_holder(make: Make) -> None:
    first = make("one", {}, backend="local", more=SLOW)
    first.init()
    first.plan()
    seen: list[Event] = []
    at_work = threading.Thread(target=lambda: first.apply(on_event=seen.append))
    at_work.start()
    try:
        wait_for(first.folder / "starts")
        (first.folder / "running.json").unlink()  # as a Terraform that was started by hand: nobody follows it
        with pytest.raises(CannotTell, match=r"the state is locked by \S+@\S+ since 2\S+ \(OperationTypeApply\)"):
            make("one", {}, backend="local", more=SLOW).plan()
    finally:
        (first.folder / "go").touch()
        at_work.join(60)
    assert any(event.kind == "apply_complete" for event in seen)


def test_a_state_is_taken_to_the_database(make: Make, database: Database, program: str) -> None:
    """The way of docs/state.md: by Terraform's own init, once."""
    environ = {"PG_CONN_STR": database.url()}
    apply(make("one", {}, backend="local"))
    moved = make("one", environ)
    with pytest.raises(MagflowError, match="another place for the state") as error:
        moved.init()
    assert f"-chdir={moved.folder} init -migrate-state" in (error.value.hint or "")
    done = subprocess.run(
        [program, f"-chdir={moved.folder}", "init", "-migrate-state", "-force-copy", "-input=false"],
        env=environment(environ),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert SECRET in (moved.folder / "terraform.tfstate").read_text(), "the old file stays, as docs/state.md says"
    assert moved.plan().empty
    moved.destroy()
