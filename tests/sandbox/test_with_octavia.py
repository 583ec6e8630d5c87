"""Octavia's API, added to a cloud that is up; the last file of the tier, because the cloud keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.cloud import Cloud, status, until
from tests.sandbox.conftest import sandbox


@pytest.fixture(scope="module")
def cloud(cloud_home: Path) -> Cloud:
    done = sandbox(cloud_home, "up", "--with", "octavia")
    assert done.returncode == 0, done.stdout + done.stderr
    return Cloud(cloud_home)


@pytest.fixture
def network(cloud: Cloud) -> Iterator[Any]:
    made = cloud.sdk.network.create_network(name="balanced")
    cloud.sdk.network.create_subnet(name="balanced", network_id=made.id, ip_version=4, cidr="10.7.0.0/24")
    yield made
    cloud.sdk.network.delete_network(made)


def test_it_is_a_service_like_the_others(cloud: Cloud) -> None:
    found = status(cloud.home)
    assert (found["state"], found["doors"]["octavia"]) == ("up", True)
    assert sandbox(cloud.home, "up").returncode == 0
    assert "octavia" in status(cloud.home)["doors"]
    assert cloud.sdk.has_service("load-balancer")


def test_balancers_come_and_go_with_all_that_is_in_them(cloud: Cloud, network: Any) -> None:
    octavia: Any = cloud.sdk.load_balancer
    balancer = octavia.create_load_balancer(name="proof", vip_network_id=network.id)

    def active() -> bool:
        return bool(octavia.get_load_balancer(balancer.id).provisioning_status == "ACTIVE")

    until("the load balancer is active", active, 60)
    (port,) = cloud.sdk.network.ports(network_id=network.id)
    assert (port.device_owner, port.fixed_ips[0]["ip_address"]) == ("Octavia", balancer.vip_address)
    listener = octavia.create_listener(
        name="web", protocol="TCP", protocol_port=80, load_balancer_id=balancer.id, allowed_cidrs=["10.0.0.0/8"]
    )
    until("the listener is active", active, 60)
    pool = octavia.create_pool(name="nodes", protocol="TCP", lb_algorithm="ROUND_ROBIN", listener_id=listener.id)
    until("the pool is active", active, 60)
    member = octavia.create_member(pool, address="10.7.0.9", protocol_port=30080)
    until("the member is active", active, 60)
    said = [octavia.get_listener(listener.id), octavia.get_pool(pool.id), octavia.get_member(member.id, pool)]
    assert {item.provisioning_status for item in said} == {"ACTIVE"}
    octavia.delete_load_balancer(balancer.id, cascade=True)
    until("the load balancer goes", lambda: not list(octavia.load_balancers()), 60)
    assert not [*octavia.listeners(), *octavia.pools(), *cloud.sdk.network.ports(network_id=network.id)]
