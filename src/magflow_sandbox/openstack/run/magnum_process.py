"""Magnum's API and conductor in one process: `magnum_process.py PORT CERTIFICATE KEY --config-file FILE`.

In one process because there is no message queue: `fake://` hands casts over within a process. Two deviations from
upstream, both about timing, neither about results:

- A write to /v1/clusters is a cast, and the Terraform provider polls at once and then reads a status that is one
  step old ("unexpected state 'DELETE_COMPLETE', wanted 'CREATE_COMPLETE'"). The answer is held back for a second.
- The status of clusters is looked up every 2 s instead of 10, their health every 10 s instead of 60.
"""

# runs in the environment of the services, which the checks do not see
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from typing import Any

import magnum  # first of all: it selects oslo.service's threading backend
import magnum.conf
from faults import Faults
from magnum.api import app as api_app
from magnum.common import rpc_service, short_id
from magnum.common import service as magnum_service
from magnum.conductor.handlers import (
    ca_conductor,
    cluster_conductor,
    conductor_listener,
    credential_conductor,
    federation_conductor,
    indirection_api,
    nodegroup_conductor,
)
from magnum.service.periodic import MagnumPeriodicTasks
from magnum_faults import Reads, counted, install
from serve import serve

HANDLERS = (
    indirection_api,
    cluster_conductor,
    conductor_listener,
    credential_conductor,
    ca_conductor,
    federation_conductor,
    nodegroup_conductor,
)
HOLD_SECONDS = 1.0
SPACING_SECONDS = {"sync_cluster_status": 2, "sync_cluster_health_status": 10}
CAST = re.compile(r"/v1/clusters(/|$)")


def hold(application: Callable[..., Any]) -> Callable[..., Any]:
    """Answer a write to a cluster only when the conductor has had time to take it up."""

    def held(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        answer = application(environ, start_response)
        if environ["REQUEST_METHOD"] in {"POST", "PATCH", "DELETE"} and CAST.match(environ.get("PATH_INFO", "")):
            answer = list(answer)
            time.sleep(HOLD_SECONDS)
        return answer

    return held


def main() -> None:
    """Command line."""
    port, certificate, key, *arguments = sys.argv[1:]
    magnum_service.prepare_service(["magnum", *arguments])
    application = api_app.load_app()
    # the option for the latter is read at import, before any configuration file: it cannot be set there
    MagnumPeriodicTasks._periodic_spacing.update(SPACING_SECONDS)
    faults, reads = Faults(), Reads()
    install(faults, reads)
    conductor = rpc_service.Service.create(
        magnum.conf.CONF.conductor.topic,
        short_id.generate_id(),
        [handler.Handler() for handler in HANDLERS],
        binary="magnum-conductor",
    )
    conductor.create_periodic_tasks()
    conductor.start()
    serve(hold(counted(application, reads)), int(port), certificate, key, "magnum")


if __name__ == "__main__":
    main()
