"""Many clusters of one environment, made in one apply: how many at a time, what it costs, and what is left of it."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from tests.sandbox.suite import Suite

from magflow import settings_file
from magflow.cloud import connection, magnum
from magflow_sandbox import processes

BUSY = {"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"}
LISTS = {
    "servers": lambda cloud: cloud.compute.servers(),
    "ports": lambda cloud: cloud.network.ports(),
    "floating IPs": lambda cloud: cloud.network.ips(),
    "routers": lambda cloud: cloud.network.routers(),
    "networks": lambda cloud: cloud.network.networks(),
    "subnets": lambda cloud: cloud.network.subnets(),
    "security groups": lambda cloud: cloud.network.security_groups(),
    "volumes": lambda cloud: cloud.block_storage.volumes(),
    "cluster templates": lambda cloud: cloud.container_infrastructure_management.cluster_templates(),
    "clusters": magnum.clusters,
    "application credentials": lambda cloud: cloud.identity.application_credentials(user=cloud.current_user_id),
}


@dataclass
class Many(Suite):
    """An environment of several clusters, each with one worker, and an extra group where asked for."""

    name: str = "many-0"
    count: int = 3
    extra: bool = False
    at_once: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        groups = {"default-worker": {"flavor": "bm.cpu", "count": 1}}
        if self.extra:
            groups["extra"] = {"flavor": "bm.cpu", "count": 1}
        self.data.update(
            node_groups=groups,
            clusters={f"many-{number}": {} for number in range(1, self.count)},
            terraform={"clusters_at_once": self.at_once},
            stages=dict.fromkeys(("node_pools", "training_operator", "ingress", "smoke"), False),
        )
        # machines of a sandbox that many clusters share are slow to come
        self.data["cluster"]["create_timeout"] = 30
        self.save()

    @property
    def cloud(self) -> Any:
        return connection.connect(settings_file.load(str(self.file)).settings.cloud)

    def inventory(self) -> dict[str, set[str]]:
        """Ids of everything that the project has."""
        cloud = self.cloud
        return {kind: {str(item.id) for item in lister(cloud)} for kind, lister in LISTS.items()}


@dataclass
class Watch:
    """Looks at Magnum and at the memory while something runs; `most` are the most clusters at work at a time."""

    suite: Many
    pause: float = 2.0
    most: int = 0
    rss: int = 0
    seconds: float = 0.0
    _end: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watch:
        self._begun = time.monotonic()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(60)
        self.seconds = time.monotonic() - self._begun

    def _look(self) -> None:
        cloud = self.suite.cloud
        while not self._end.wait(self.pause):
            self.rss = max(self.rss, memory(self.suite.home))
            try:
                held = magnum.clusters(cloud)
            except Exception:  # a look that failed is no result; the next one counts
                continue
            self.most = max(self.most, sum(item.status in BUSY for item in held))


def memory(home: Path) -> int:
    """Resident memory of all the sandbox's programs, in bytes."""
    total = 0
    for pid in processes.marked(home, None):
        with contextlib.suppress(psutil.Error):
            total += psutil.Process(pid).memory_info().rss
    return total
