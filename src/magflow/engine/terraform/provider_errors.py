"""Known errors of the OpenStack provider and of Magnum behind it: what they mean, and what to do.

A pattern is matched against all that Terraform says of one error. The words are those of the provider's source
(`containerinfra_shared_v1.go`, `resource_openstack_containerinfra_*_v1.go`, 3.4.0), of Terraform's SDK
(`helper/retry/error.go`), of Magnum's (`magnum/common/exception.py`, 22.0.0) and of the threads that are named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from magflow.engine.plan.holdings import CLUSTER, NODE_GROUP
from magflow.errors import MagflowError

TRANSIENT_STATUS_RACE = "TRANSIENT_STATUS_RACE"
CLUSTER_BUSY = "CLUSTER_BUSY"


@dataclass(frozen=True)
class Known:
    """A known error.

    Attributes:
        code: its word.
        pattern: matches its text.
        hint: what to do.
    """

    code: str
    pattern: re.Pattern[str]
    hint: str


def _known(code: str, pattern: str, hint: str) -> Known:
    return Known(code, re.compile(pattern, re.DOTALL), hint)


KNOWN = (
    # provider issues 1928, 1939 and 2066
    _known(
        TRANSIENT_STATUS_RACE,
        r"unexpected state '(?!\w*_FAILED)\w*', wanted target '\w+'",
        "the provider looked before Magnum had begun; run the same command again, it goes on from there",
    ),
    # provider issue 1102
    _known(
        "PROVIDER_NODE_COUNT_AS_STRING",
        r"node_count\b.*not supported between instances of 'str' and 'int'",
        "the provider sends node_count as text: use release 1.49.0 or newer (terraform init -upgrade)",
    ),
    # provider issue 1375
    _known(
        "PROVIDER_LABELS_AS_TEXT",
        r"Couldn't apply patch .*/labels.*invalid syntax",
        "the provider sends a template's labels as k=v: use release 1.50.0 or newer (terraform init -upgrade)",
    ),
    # provider issue 1736, pull request 1719
    _known(
        "PROVIDER_NO_ZERO_NODES",
        r"Resizing a nodegroup to zero is not supported in the provided microversion",
        "the provider asks with too old a microversion for no nodes: use release 3.0.0 or newer",
    ),
    # provider issue 949
    _known(
        "TEMPLATE_IN_USE",
        r"ClusterTemplate .* is referenced by one or multiple clusters",
        "make a new template with a versioned name and point cluster_template_id at it, then remove this one",
    ),
    _known(
        CLUSTER_BUSY,
        r"already has an operation in progress"
        r"|\b(?:Updating|Resizing|Upgrading) a cluster when status is \\?\"?\w+\\?\"? is not supported",
        "Magnum is still at work on the cluster; run the same command again when it has ended",
    ),
    _known(
        "MAGNUM_LIMIT_EXCEEDED",
        r"You have reached the maximum clusters per project",
        "delete a cluster, or ask for a higher limit (openstack coe quotas)",
    ),
    _known(
        "POLICY_FORBIDS",
        r"Policy doesn't allow [\w:]+ to be performed",
        "this user's roles do not suffice; ask the cloud's operator for the role that Magnum's policy names",
    ),
    _known(
        "MAGNUM_NOT_FOUND",
        r"container infra client: .*No suitable endpoint could be found",
        "this cloud's catalog has no container-infra service for this region: is Magnum there, is the region right?",
    ),
    _known(
        "PROVIDER_TIMEOUT",
        r"timeout while waiting for state to become '\w+'",
        "Magnum may still go on; magflow diagnose ENV cluster says why it takes long. cluster.create_timeout gives "
        "it more",
    ),
    _known(
        "CLUSTER_FAILED",
        r"openstack_containerinfra_\w+ is in an error state",
        "magflow diagnose ENV cluster ranks the causes",
    ),
)


def classify(text: str) -> Known | None:
    """The known error that a text is, or None."""
    return next((known for known in KNOWN if known.pattern.search(text)), None)


@dataclass(frozen=True)
class Race:
    """A look that came too early.

    Attributes:
        address: the resource; may be empty.
        kind: its resource type.
        id: Magnum's id; of a node group `CLUSTER/GROUP`, or the group's alone.
        seen: the status that the provider saw.
        wanted: the status that it waited for; empty when Magnum only has to end what it is at.
    """

    address: str
    kind: str
    id: str
    seen: str
    wanted: str


class StatusRace(MagflowError):
    """A command failed over races alone: when Magnum has settled, the same command goes on.

    Args:
        races: all of them.
        what: as of MagflowError.
        where: as of MagflowError.
        hint: as of MagflowError.
    """

    def __init__(self, races: Sequence[Race], what: str, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what, where, hint, TRANSIENT_STATUS_RACE)
        self.races = tuple(races)


_WAITING = re.compile(
    r"Error waiting for openstack_containerinfra_(cluster|node_?group)_v1 (\S+) to (?:become|upgrade)"
)
_STATES = re.compile(r"unexpected state '(\w*)', wanted target '(\w+)'")
_REQUEST = re.compile(r"/v1/clusters/([\w-]+)")


def race(text: str, address: str | None) -> Race | None:
    """The race that an error's text tells of; None when it is another error, or does not say of what."""
    known = classify(text)
    if known is None:
        return None
    if known.code == CLUSTER_BUSY:
        asked = _REQUEST.search(text)
        return Race(address or "", CLUSTER, asked[1], "", "") if asked else None
    waiting, states = _WAITING.search(text), _STATES.search(text)
    if known.code != TRANSIENT_STATUS_RACE or not waiting or not states:
        return None
    kind = CLUSTER if waiting[1] == "cluster" else NODE_GROUP
    return Race(address or "", kind, waiting[2].rstrip(":"), states[1], states[2])
