"""Command lines of the control plane."""

from __future__ import annotations

from pathlib import Path

import pytest

from magflow_sandbox.clusters import addresses, components
from magflow_sandbox.clusters.addresses import Ranges
from magflow_sandbox.errors import SandboxError

PKI = Path("/pki")
COMMANDS = {
    "etcd": components.etcd(Path("etcd"), Path("/data")),
    "apiserver": components.apiserver(Path("a"), PKI, address=addresses.API, port=26600, services="10.96.0.0/16"),
    "controller-manager": components.controller_manager(Path("c"), PKI, Path("/k")),
    "scheduler": components.scheduler(Path("s"), PKI, Path("/k")),
    "kwok": components.kwok(Path("k"), Path("/k"), Path("/s"), pods="10.244.0.0/17"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_listens_on_every_address(name: str) -> None:
    text = " ".join(COMMANDS[name])
    assert "0.0.0.0" not in text
    assert "127.0.0.1" in text or addresses.API in text


def test_webhooks_are_reached_at_pod_addresses() -> None:
    assert "--enable-aggregator-routing=true" in COMMANDS["apiserver"]


def test_the_environment_holds_nothing_of_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    assert set(components.environment(components.memory(64))) == {"PATH", "HOME", "GOMEMLIMIT", "GOGC"}


def test_fake_pods_have_the_lower_half_and_programs_the_upper() -> None:
    ranges = Ranges(pods="172.16.0.0/13")
    assert ranges.fake_pods == "172.16.0.0/14"
    assert ranges.free_program(set()) == "172.20.0.1"
    assert ranges.free_program({"172.20.0.1"}) == "172.20.0.2"
    assert Ranges().first_service == "10.96.0.1"


def test_a_new_kwok_gives_out_addresses_that_its_predecessor_did_not() -> None:
    ranges = Ranges()
    assert ranges.block(set()) == "10.244.0.0/19"
    assert ranges.block({"10.244.0.7"}) == "10.244.32.0/19"
    used = {"10.244.0.7", "10.244.33.1", "10.244.64.9", "10.244.96.1", "10.244.128.1"}
    assert ranges.block(used) == "10.244.16.0/20"
    small = Ranges(pods="10.244.0.0/24")
    assert small.block({f"10.244.0.{number}" for number in range(1, 128, 2)} - {"10.244.0.41"}) == "10.244.0.40/31"


@pytest.mark.parametrize(
    "ranges", [("10.0.0.0/16", "10.0.0.0/24"), ("10.0.0.0/28", "10.1.0.0/24"), ("x", "10.1.0.0/24")]
)
def test_bad_ranges(ranges: tuple[str, str]) -> None:
    with pytest.raises(SandboxError):
        Ranges(pods=ranges[0], services=ranges[1])
