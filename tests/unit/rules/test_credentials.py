"""Rules of clouds.yaml and of OS_* in the environment; no secret is ever shown."""

from __future__ import annotations

import pytest

from magflow.findings import Severity
from magflow.rules import credentials
from magflow.rules.credentials import environment as credentials_environment

SECRET = "do-not-show"
URL = "https://keystone.example.org/v3"
APPCRED = {
    "auth_type": "v3applicationcredential",
    "auth": {"auth_url": URL, "application_credential_id": "a1", "application_credential_secret": SECRET},
}
PASSWORD = {
    "auth": {
        "auth_url": URL,
        "username": "u",
        "password": SECRET,
        "project_name": "demo",
        "user_domain_name": "Default",
        "project_domain_name": "Default",
    }
}


def entry(base, auth=None, **parts):
    both = {**base["auth"], **(auth or {})}
    return {**base, "auth": {key: value for key, value in both.items() if value is not None}, **parts}


def found(given, here):
    result = list(credentials.check("demo", given, here))
    assert SECRET not in str(result)
    return [(finding.code, finding.path) for finding in result]


@pytest.mark.parametrize("given", [APPCRED, PASSWORD])
def test_whole_entries_have_no_finding(given, tmp_path):
    assert found(given, tmp_path) == []


@pytest.mark.parametrize("key", ["project_name", "project_id", "domain_id", "project_domain_name", "system_scope"])
def test_an_application_credential_takes_no_scope(key, tmp_path):
    assert found(entry(APPCRED, {key: "x"}), tmp_path) == [("APPCRED_WITH_SCOPE", f"clouds.demo.auth.{key}")]


@pytest.mark.parametrize("auth_type", [None, "password"])
def test_an_application_credential_needs_its_type(auth_type, tmp_path):
    assert found(entry(APPCRED, auth_type=auth_type), tmp_path) == [
        ("APPCRED_AUTH_TYPE_MISSING", "clouds.demo.auth_type")
    ]


@pytest.mark.parametrize(
    ("auth", "path"),
    [
        ({"user_domain_name": None}, "clouds.demo.auth.user_domain_name"),
        ({"project_domain_name": None}, "clouds.demo.auth.project_domain_name"),
        ({"user_domain_name": None, "user_domain_id": "default"}, None),
        ({"user_domain_name": None, "project_domain_name": None, "domain_name": "Default"}, None),
        ({"project_name": None, "project_id": "p", "project_domain_name": None}, None),
        ({"username": None, "user_id": "u", "user_domain_name": None}, None),
    ],
)
def test_names_need_their_domain(auth, path, tmp_path):
    assert found(entry(PASSWORD, auth), tmp_path) == ([("DOMAIN_MISSING", path)] if path else [])


def test_a_ca_that_is_not_there_shows_where_it_was_looked_for(tmp_path):
    given = entry(PASSWORD, {"user_domain_name": None}, cacert="./ca.pem")
    assert found(given, tmp_path) == [
        ("DOMAIN_MISSING", "clouds.demo.auth.user_domain_name"),
        ("CACERT_NOT_FOUND", "clouds.demo.cacert"),
    ]
    result = list(credentials.check("demo", given, tmp_path))
    assert f"tried {tmp_path}/ca.pem" in result[1].message


def test_a_ca_that_only_this_folder_finds(tmp_path):
    (tmp_path / "ca.pem").touch()
    assert found(entry(APPCRED, cacert="ca.pem"), tmp_path) == [("CACERT_RELATIVE", "clouds.demo.cacert")]
    assert found(entry(APPCRED, cacert=str(tmp_path / "ca.pem")), tmp_path) == []


def test_no_verification_is_never_silent(tmp_path):
    result = list(credentials.check("demo", entry(APPCRED, verify=False), tmp_path))
    assert [(finding.code, finding.severity) for finding in result] == [("VERIFY_OFF", Severity.WARNING)]


def test_an_entry_without_a_url(tmp_path):
    assert found(entry(APPCRED, {"auth_url": None}), tmp_path) == [("AUTH_URL_MISSING", "clouds.demo.auth.auth_url")]
    assert found(entry(APPCRED, {"auth_url": None}, profile="vexxhost"), tmp_path) == []


@pytest.mark.parametrize(("mode", "told"), [(0o100600, False), (0o100644, True), (0o100640, True)])
def test_a_file_that_others_read(mode, told, tmp_path):
    result = list(credentials.readable_by_others(tmp_path / "clouds.yaml", mode))
    assert [finding.code for finding in result] == (["CLOUDS_FILE_READABLE"] if told else [])


def conflicts(environ, given=PASSWORD, chosen=None, tmp=None):
    result = list(credentials_environment.check("prod", given, tmp / "clouds.yaml", environ, chosen))
    assert SECRET not in str(result) and "hunter2" not in str(result)
    assert all(finding.code == "AUTH_SOURCE_CONFLICT" for finding in result)
    return result


def test_another_cloud_names_both_sources_and_the_effective_one(tmp_path):
    (result,) = conflicts({"OS_CLOUD": "dev"}, tmp=tmp_path)
    assert result.severity is Severity.ERROR
    assert f"OS_CLOUD is 'dev', cloud.name is 'prod' (in {tmp_path}/clouds.yaml)" in result.message
    assert "effective here: the entry of clouds.yaml" in result.message


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OS_CLOUD": "prod"},
        {"OS_CLOUD": ""},
        {"OS_PROJECT_NAME": "demo", "OS_USERNAME": "u", "OS_PASSWORD": SECRET},
        {"OS_TENANT_NAME": "demo"},
    ],
)
def test_equal_values_are_no_conflict(environ, tmp_path):
    assert conflicts(environ, tmp=tmp_path) == []


def test_another_project(tmp_path):
    (result,) = conflicts({"OS_PROJECT_NAME": "other", "OS_PASSWORD": "hunter2"}, tmp=tmp_path)
    assert result.path == "OS_PASSWORD"
    assert "OS_PASSWORD is another; OS_PROJECT_NAME is 'other', the entry has 'demo'" in result.message


def test_what_would_complete_an_application_credential(tmp_path):
    (result,) = conflicts({"OS_PROJECT_NAME": "demo"}, APPCRED, tmp=tmp_path)
    assert "OS_PROJECT_NAME is 'demo', the entry has none" in result.message


def test_another_file(tmp_path):
    mine, other = tmp_path / "mine.yaml", tmp_path / "other.yaml"
    assert conflicts({"OS_CLIENT_CONFIG_FILE": str(mine)}, chosen=mine, tmp=tmp_path) == []
    (result,) = conflicts({"OS_CLIENT_CONFIG_FILE": str(other)}, chosen=mine, tmp=tmp_path)
    assert result.path == "OS_CLIENT_CONFIG_FILE"
