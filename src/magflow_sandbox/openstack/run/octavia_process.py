"""Octavia's API with a provider that is done at once: `octavia_process.py PORT CERTIFICATE KEY --config-file FILE`.

Octavia's provider without effect (noop_driver) never reports, so that everything would stay PENDING. A thread reports
in its place, by Octavia's own updater of statuses: what is to be made or changed becomes ACTIVE, what is to go DELETED.
"""

# runs in the environment of the services, which the checks do not see
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import Any

from octavia.api import app as api_app
from octavia.api.drivers.driver_agent.driver_updater import DriverUpdater
from octavia.api.drivers.noop_driver.driver import NoopProviderDriver
from octavia.db import api as database
from octavia.db import models
from serve import serve

EVERY = 0.3
KINDS = {
    "l7rules": models.L7Rule,
    "l7policies": models.L7Policy,
    "listeners": models.Listener,
    "members": models.Member,
    "healthmonitors": models.HealthMonitor,
    "pools": models.Pool,
    "loadbalancers": models.LoadBalancer,
}
"""Kinds as the updater calls them; what is inside comes before what it is in."""
Said = list[dict[str, str]]


def pending() -> dict[str, Said]:
    """What waits for its provider, with the statuses that it is to get."""
    found: dict[str, Said] = {}
    session = database.get_session()
    with session.begin():
        for kind, model in KINDS.items():
            waiting = model.provisioning_status.like("PENDING_%")
            found[kind] = [_said(row.id, row.provisioning_status) for row in session.query(model).filter(waiting)]
        going = models.LoadBalancer.provisioning_status == "PENDING_DELETE"
        for balancer in session.query(models.LoadBalancer).filter(going):
            # a load balancer goes with all that is in it
            for kind, rows in _inside(balancer).items():
                found[kind] = [_said(row.id, "PENDING_DELETE") for row in rows]
    return {kind: said for kind, said in found.items() if said}


def _inside(balancer: Any) -> dict[str, list[Any]]:
    listeners, pools = list(balancer.listeners), list(balancer.pools)
    policies = [policy for listener in listeners for policy in listener.l7policies]
    return {
        "l7rules": [rule for policy in policies for rule in policy.l7rules],
        "l7policies": policies,
        "listeners": listeners,
        "members": [member for pool in pools for member in pool.members],
        "healthmonitors": [pool.health_monitor for pool in pools if pool.health_monitor],
        "pools": pools,
    }


def _said(name: str, status: str) -> dict[str, str]:
    if status == "PENDING_DELETE":
        return {"id": name, "provisioning_status": "DELETED"}
    return {"id": name, "provisioning_status": "ACTIVE", "operating_status": "ONLINE"}


def report() -> None:
    """Say of everything that waits that it is done, for ever."""
    updater = DriverUpdater()
    while True:
        time.sleep(EVERY)
        try:
            for kind, said in pending().items():
                updater.update_loadbalancer_status({kind: said})
        except Exception:
            # the database may be away for a moment
            logging.getLogger("octavia").exception("statuses cannot be reported")
            updater = DriverUpdater()


def no_port(*_: Any) -> None:
    """The provider makes no port for the address, so Octavia makes one in Neutron."""
    raise NotImplementedError


def main() -> None:
    """Command line."""
    port, certificate, key, *arguments = sys.argv[1:]
    NoopProviderDriver.create_vip_port = no_port
    application = api_app.setup_app(argv=["octavia", *arguments])
    threading.Thread(target=report, daemon=True).start()
    serve(application, int(port), certificate, key, "octavia")


if __name__ == "__main__":
    main()
