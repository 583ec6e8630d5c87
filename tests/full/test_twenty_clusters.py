"""Twenty clusters in one apply, three at a time, and destroyed; $MAGFLOW_FULL_CLUSTERS sets another number.

Measured on two cores that other sandboxes kept busy (load 20): made in 915 s, destroyed in 264 s, 12.4 GiB at most.
Six of them with less beside: 53 s, 26 s, 4.7 GiB.
"""

from __future__ import annotations

import os

import pytest
from tests.sandbox.many import Many, Watch

from magflow.cloud import connection, magnum
from magflow.settings import Cloud

COUNT = int(os.environ.get("MAGFLOW_FULL_CLUSTERS", "20"))
AT_ONCE = 3
PATIENCE = 3 * 3600
"""Seconds; two quiet cores need minutes."""


def raise_quotas(suite: Many) -> None:
    """As preflight asks for: Neutron gives a project 10 routers, and the driver makes one for each cluster."""
    admin = connection.connect(Cloud(name="sandbox-admin", clouds_file=suite.home / "clouds.yaml"))
    project = suite.cloud.current_project_id
    admin.network.update_quota(project, routers=COUNT + 1)


@pytest.mark.timeout(2 * PATIENCE)
def test_twenty_clusters_come_and_go(cloud_home, tmp_path):
    suite = Many(home=cloud_home, folder=tmp_path, count=COUNT, at_once=AT_ONCE)
    raise_quotas(suite)
    before = suite.inventory()
    with Watch(suite) as made:
        deployed = suite.magflow("deploy", str(suite.file), "--json", timeout=PATIENCE)
    assert deployed.returncode == 0, deployed.stderr
    held = magnum.clusters(suite.cloud)
    assert len(held) == COUNT
    assert {item.status for item in held} == {"CREATE_COMPLETE"}
    print(
        f"\n{COUNT} clusters made in {made.seconds:.0f} s, {made.most} at a time, {made.rss / 1024**3:.2f} GiB at most"
    )
    with Watch(suite) as gone:
        destroyed = suite.magflow("destroy", str(suite.file), "--yes", "--json", timeout=PATIENCE)
    assert destroyed.returncode == 0, destroyed.stderr
    print(f"{COUNT} clusters destroyed in {gone.seconds:.0f} s, {gone.most} at a time")
    assert suite.inventory() == before
    assert (made.most, gone.most) == (AT_ONCE, AT_ONCE)
