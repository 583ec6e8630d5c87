"""The faults that can be asked for: one class a kind, its fields are its options.

A fault is data. Who plays it reads it: the infrastructure controller (clusters/faulty.py), every OpenStack service
(openstack/run/faults.py) and Magnum's conductor (openstack/run/magnum_faults.py).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.faults.reasons import CREATE_FAILED, MACHINE_FAILED

EVERY = "*"


@dataclass(frozen=True)
class Fault:
    """What all have in common."""

    kind: ClassVar[str]
    title: ClassVar[str]
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Field -> the values that it may have."""

    def __post_init__(self) -> None:
        for name, allowed in self.choices.items():
            value = getattr(self, name)
            if value not in allowed:
                raise SandboxError(f"{self.kind}: {name} {value!r} is not known", hint=f"one of {', '.join(allowed)}")
        for name in ("count", "seconds", "requests"):
            if getattr(self, name, 0) < 0:
                raise SandboxError(f"{self.kind}: {name} is below 0", hint="give a positive number")

    def options(self) -> dict[str, Any]:
        """The fields as JSON holds them."""
        return asdict(self)


@dataclass(frozen=True)
class OfCluster(Fault):
    """A fault of clusters.

    Attributes:
        cluster: name of the Magnum cluster or its stack_id; a pattern (`*`, `train-*`).
    """

    cluster: str = EVERY

    def concerns(self, stack: str) -> bool:
        """Whether a cluster is meant; `stack` is its stack_id: the name's first 30 characters and a random part."""
        name = stack.rpartition("-")[0]
        wanted = self.cluster.lower()
        return fnmatch.fnmatchcase(stack, wanted) or fnmatch.fnmatchcase(name, wanted[:30])


@dataclass(frozen=True)
class Stuck(OfCluster):
    """A cluster stays CREATE_IN_PROGRESS.

    Attributes:
        at: `infrastructure` (nothing is made), `api` (network and address, no API server), `nodes` (the API answers,
            no node joins), `status` (API and nodes are Ready, and Cluster API does not say so).
    """

    kind = "stuck"
    title = "a cluster stays CREATE_IN_PROGRESS"
    choices: ClassVar = {"at": ("infrastructure", "api", "nodes", "status")}
    at: str = "api"


@dataclass(frozen=True)
class CreateFailed(OfCluster):
    """Magnum says CREATE_FAILED with the text of a Heat stack or of Magnum itself.

    Attributes:
        reason: key of `reasons.CREATE_FAILED`.
        text: another status_reason than the reason's own.
    """

    kind = "create-failed"
    title = "Magnum says CREATE_FAILED, with the text of a real failure"
    choices: ClassVar = {"reason": tuple(CREATE_FAILED)}
    reason: str = "no-valid-host"
    text: str = ""

    def options(self) -> dict[str, Any]:
        """With the text, which the conductor cannot look up."""
        return {**super().options(), "text": self.text or CREATE_FAILED[self.reason].text}


@dataclass(frozen=True)
class MachineFailed(OfCluster):
    """Machines of a group fail as Cluster API's OpenStack provider reports it; the cluster stays in progress.

    Attributes:
        group: node group; `control-plane` for the control plane.
        reason: key of `reasons.MACHINE_FAILED`.
        count: how many machines of the group, 0 for all.
    """

    kind = "machine-failed"
    title = "machines fail as Cluster API reports it; Magnum stays in progress"
    choices: ClassVar = {"reason": tuple(MACHINE_FAILED)}
    group: str = EVERY
    reason: str = "no-valid-host"
    count: int = 0


@dataclass(frozen=True)
class NodeNotReady(OfCluster):
    """Nodes of a group are NotReady or never join; those that were Ready become so, too.

    Attributes:
        group: node group; `control-plane` for the control plane.
        count: how many nodes of the group, 0 for all.
        how: `not-ready` (no network plugin), `dead` (its kubelet is silent), `absent` (it never joins).
    """

    kind = "node-not-ready"
    title = "nodes of a group are NotReady, silent, or never join"
    choices: ClassVar = {"how": ("not-ready", "dead", "absent")}
    group: str = EVERY
    count: int = 0
    how: str = "not-ready"


@dataclass(frozen=True)
class DeleteBlocked(OfCluster):
    """The deletion of a cluster does not end.

    Attributes:
        by: `security-group` (two foreign ports use the cluster's group: 409), `network` (two foreign ports lie in the
            cluster's own network: 409), `finalizer` (the Cluster object is not let go).
    """

    kind = "delete-blocked"
    title = "the deletion of a cluster does not end"
    choices: ClassVar = {"by": ("security-group", "network", "finalizer")}
    by: str = "security-group"


@dataclass(frozen=True)
class LeaveBehind(OfCluster):
    """The deletion of a cluster ends and leaves something.

    Attributes:
        what: the kind of object that stays. A port or a network keeps the cluster's own network and subnet, too.
    """

    kind = "leave-behind"
    title = "the deletion of a cluster leaves something"
    choices: ClassVar = {
        "what": (
            "port",
            "floating-ip",
            "network",
            "router",
            "security-group",
            "volume",
            "application-credential",
            "trust",
        )
    }
    what: str = "port"


@dataclass(frozen=True)
class Api(Fault):
    """An OpenStack service answers wrongly; nothing else of it is touched.

    Attributes:
        service: keystone, glance, nova, neutron, cinder, octavia, magnum; `*` for all.
        method: GET, POST, ...; `*` for all.
        path: pattern of the path without the query (`/v2.0/ports*`).
        answer: a status from 400 to 599 (502 to 504: the page of a load balancer), `slow` (the true answer, late),
            `reset` (the connection is reset before anything is done), `lost` (it is done, and the connection is reset),
            `ignored` (204, and nothing is done).
        seconds: how long `slow` waits.
        count: how often, 0 for until it is cleared.
    """

    kind = "api"
    title = "an OpenStack service answers 5xx, slowly, or resets the connection"
    choices: ClassVar = {"service": ("keystone", "glance", "nova", "neutron", "cinder", "octavia", "magnum", EVERY)}
    service: str = EVERY
    method: str = EVERY
    path: str = EVERY
    answer: str = "503"
    seconds: float = 5.0
    count: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        words = ("slow", "reset", "lost", "ignored")
        if self.answer not in words and not (self.answer.isdecimal() and 400 <= int(self.answer) < 600):
            hint = f"a status from 400 to 599, or one of {', '.join(words)}"
            raise SandboxError(f"api: answer {self.answer!r} is not known", hint=hint)


@dataclass(frozen=True)
class StaleStatus(OfCluster):
    """Magnum's conductor takes up a cast late: until then the API answers the status of before.

    Attributes:
        requests: how many GETs of the cluster are answered with the old status, 0 for no such bound.
        seconds: the longest wait.
    """

    kind = "stale-status"
    title = "after a write Magnum answers the status of before for a while"
    requests: int = 2
    seconds: float = 30.0


KINDS: Mapping[str, type[Fault]] = {
    kind.kind: kind
    for kind in (
        Stuck,
        CreateFailed,
        MachineFailed,
        NodeNotReady,
        DeleteBlocked,
        LeaveBehind,
        Api,
        StaleStatus,
    )
}


def image_left() -> Api:
    """The fault by which images stay, which no driver deletes: Glance says yes to it and does nothing."""
    return Api(service="glance", method="DELETE", path="/v2/images/*", answer="ignored")


def make(kind: str, options: Mapping[str, Any]) -> Fault:
    """A fault from its kind and options.

    Raises:
        SandboxError: no such kind, or an option that it does not have or allow.
    """
    if kind not in KINDS:
        raise SandboxError(f"there is no fault {kind!r}", hint=f"one of {', '.join(KINDS)}")
    known = {field.name for field in fields(KINDS[kind])}
    unknown = sorted(options.keys() - known)
    if unknown:
        raise SandboxError(f"{kind} has no option {', '.join(unknown)}", hint=f"it has {', '.join(sorted(known))}")
    return KINDS[kind](**options)
