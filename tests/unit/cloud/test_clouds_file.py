"""Which clouds.yaml counts, and what is read of it."""

from __future__ import annotations

import pytest
import yaml

from magflow.cloud import clouds_file
from magflow.cloud.connection import connect
from magflow.errors import CannotTell, MagflowError
from magflow.settings import Cloud


def written(path, *names):
    path.parent.mkdir(exist_ok=True)
    entry = {"auth": {"auth_url": "https://keystone.example.org/v3"}}
    path.write_text(yaml.safe_dump({"clouds": dict.fromkeys(names, entry)}))
    return path


def test_the_settings_file_wins_over_the_environment_s(tmp_path):
    mine, other = written(tmp_path / "mine.yaml", "a"), written(tmp_path / "other.yaml", "b")
    environ = {"OS_CLIENT_CONFIG_FILE": str(other), "OS_CLOUD": "b"}
    found = clouds_file.read(Cloud(name="a", clouds_file=mine), environ)
    assert (found.path, found.names) == (mine, ("a",))
    assert found.entry("a")["auth"]["auth_url"] == "https://keystone.example.org/v3"
    assert found.entry("b") is None
    assert clouds_file.read(Cloud(name="b"), environ).path == other


def test_the_place_of_the_file_is_all_that_counts_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("OS_AUTH_URL", "https://elsewhere.example.org/v3")
    monkeypatch.setenv("OS_USERNAME", "else")
    found = clouds_file.read(Cloud(name="a", clouds_file=written(tmp_path / "clouds.yaml", "a")))
    assert found.names == ("a",)


@pytest.mark.parametrize("by", ["settings", "environment"])
def test_a_file_that_is_named_has_to_be_there(tmp_path, by):
    gone = tmp_path / "gone.yaml"
    cloud = Cloud(name="a", clouds_file=gone if by == "settings" else None)
    with pytest.raises(CannotTell, match=r"there is no clouds\.yaml") as error:
        clouds_file.read(cloud, {"OS_CLIENT_CONFIG_FILE": str(gone)})
    assert ("cloud.clouds_file" if by == "settings" else "OS_CLIENT_CONFIG_FILE") in error.value.hint


def test_a_file_that_is_no_yaml_shows_nothing_of_it(tmp_path):
    file = tmp_path / "clouds.yaml"
    file.write_text("clouds: {a: [password: secret-in-it")
    with pytest.raises(CannotTell, match=r"cannot read clouds\.yaml") as error:
        clouds_file.read(Cloud(name="a", clouds_file=file), {})
    assert "secret-in-it" not in str(error.value)


def test_a_cloud_that_is_not_in_it_names_those_that_are(tmp_path):
    file = written(tmp_path / "clouds.yaml", "a", "b")
    with pytest.raises(CannotTell, match=r"cloud 'c' is not in clouds\.yaml") as error:
        connect(Cloud(name="c", clouds_file=file))
    assert error.value.hint == "set cloud.name to one of: a, b"


def test_an_entry_that_the_client_refuses_is_told_in_words(tmp_path):
    auth = {
        "auth_url": "https://keystone.example.org/v3",
        "application_credential_id": "a",
        "application_credential_secret": "s",
        "project_name": "p",
    }
    file = tmp_path / "clouds.yaml"
    file.write_text(yaml.safe_dump({"clouds": {"a": {"auth_type": "v3applicationcredential", "auth": auth}}}))
    with pytest.raises(MagflowError, match="project_name") as error:
        connect(Cloud(name="a", clouds_file=file))
    assert "clouds.a" in error.value.where
