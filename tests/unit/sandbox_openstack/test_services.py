"""Services are data: what is rendered from it."""

from __future__ import annotations

import configparser
import stat
from pathlib import Path

import pytest

from magflow_sandbox.cloud import Cloud
from magflow_sandbox.errors import SandboxError
from magflow_sandbox.home import Home
from magflow_sandbox.openstack import catalog, files
from magflow_sandbox.openstack.service import Service, render
from magflow_sandbox.openstack.site import PORTS, Site
from magflow_sandbox.toolchain import Toolchain

NAMES = ("keystone", "glance", "nova", "neutron", "cinder", "magnum")
ALL = ("keystone", "glance", "nova", "neutron", "cinder", "octavia", "magnum")


@pytest.fixture(params=ALL)
def service(request: pytest.FixtureRequest, site: Site) -> Service:
    return next(service for service in catalog.services(site, catalog.EXTRAS) if service.name == request.param)


def parsed(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(default_section="no such section")
    parser.read_string(text)
    return parser


def test_every_service_is_in_the_catalog_once(site: Site) -> None:
    assert tuple(service.name for service in catalog.services(site)) == NAMES
    assert tuple(service.name for service in catalog.services(site, catalog.EXTRAS)) == ALL
    assert len(set(PORTS.values())) == len(PORTS)


def test_a_service_more_is_remembered_and_no_other_is_known(tmp_path: Path) -> None:
    cloud = Cloud(Home(tmp_path / "home"), Toolchain(tmp_path / "cache"))
    assert cloud.extras == []
    with pytest.raises(SandboxError, match="there is no service heat"):
        cloud.extend(["heat"])
    cloud.extend(["octavia"])
    cloud.extend([])
    assert Cloud(cloud.home, cloud.toolchain).extras == ["octavia"]


def test_booleans_and_paths_are_written_as_oslo_reads_them() -> None:
    read = parsed(render({"DEFAULT": {"on": True, "off": False, "number": 4, "path": Path("/a/b")}}))
    assert dict(read["DEFAULT"]) == {"on": "true", "off": "false", "number": "4", "path": "/a/b"}


def test_default_section_does_not_leak_into_the_others() -> None:
    assert "debug" not in parsed(render({"DEFAULT": {"debug": True}, "api": {"workers": 1}}))["api"]


def test_databases_are_reached_by_the_socket_and_without_a_password(service: Service, site: Site) -> None:
    for ini in service.files.values():
        url = str(ini["database"]["connection"])
        assert url.startswith("mysql+pymysql://root@localhost/")
        assert url.endswith(f"?unix_socket={site.socket}")


def test_tokens_are_checked_over_https_with_our_authority(service: Service, site: Site) -> None:
    (ini,) = service.files.values()
    check = ini.get("keystone_authtoken")
    if check is None:
        assert service.name == "keystone"
        return
    assert str(check["auth_url"]) == "https://127.0.0.1:26500/v3"
    assert check["cafile"] == site.ca
    assert check["password"] == f"password-of-{service.name}"


def test_no_service_needs_a_message_queue(service: Service) -> None:
    (ini,) = service.files.values()
    assert ini["oslo_messaging_notifications"]["driver"] == "noop"
    assert ini["DEFAULT"].get("transport_url", "fake://") == "fake://"


def test_configuration_is_private(service: Service, site: Site) -> None:
    files.write(service, site)
    for name in service.files:
        assert stat.S_IMODE((site.etc / service.name / name).stat().st_mode) == 0o600


def test_no_password_on_the_command_line(service: Service, site: Site) -> None:
    words = [*files.command(service, site), *files.environment(service, site).values()]
    words += [word for command in service.migrations for word in command]
    assert not [word for word in words if "password-of" in word]
    assert "password-of" not in repr(service) + repr(site)


def test_environment_is_ours_alone(
    service: Service, site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "OS_CLOUD"):
        monkeypatch.setenv(name, "/somewhere/else")
    environment = files.environment(service, site, (tmp_path / "helm",))
    assert "/somewhere/else" not in environment.values()
    assert str(tmp_path / "helm") in environment["PATH"].split(":")


def test_keystone_keys_are_made_once(site: Site) -> None:
    keystone = catalog.services(site)[0]
    files.write(keystone, site)
    first = (site.data / "keystone" / "fernet-keys" / "1").read_text()
    files.write(keystone, site)
    assert (site.data / "keystone" / "fernet-keys" / "1").read_text() == first


def test_digest_changes_with_the_configuration(service: Service, site: Site) -> None:
    name, ini = next(iter(service.files.items()))
    other = Service(**{**vars(service), "files": {name: {**ini, "extra": {"debug": True}}}})
    assert files.digest(service) == files.digest(service)
    assert files.digest(service) != files.digest(other)


def test_driver_keeps_upstreams_floors_and_takes_our_chart(site: Site) -> None:
    magnum = catalog.services(site)[-1]
    options = magnum.files["magnum.conf"]["capi_helm"]
    assert options == {"kubeconfig_file": site.management, "helm_chart_repo": "", "helm_chart_name": site.chart}


def test_nova_fills_in_the_path_of_the_database_itself(site: Site) -> None:
    nova = next(service for service in catalog.services(site) if service.name == "nova")
    words = [word for command in nova.migrations for word in command]
    assert not [word for word in words if str(site.socket) in word]
