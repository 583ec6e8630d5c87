"""Whose is it? For each kind of thing in a cloud, the exact rule by which it belongs to a cluster.

A rule compares whole names, descriptions and metadata values, never parts, so that the things of a cluster with a
similar name, or with an id that begins like ours, are not taken for ours. Where the names come from:

- Cluster API's OpenStack provider 0.11 (pkg/utils/names, pkg/cloud/services): `k8s-clusterapi-cluster-<resource>`,
  `k8s-cluster-<resource>-secgroup-<part>`, "Created by cluster-api-provider-openstack cluster <resource>"; the resource
  is `<namespace>-<cluster>`: `magnum-<project>-<stack_id>` with magnum-capi-helm (driver_utils.cluster_namespace),
  `magnum-system-<stack_id>` with magnum-cluster-api. Servers are named after their Machine, volumes after the server.
- cloud-provider-openstack 1.33 (pkg/openstack/loadbalancer.go, pkg/ingress, pkg/csi): descriptions that end in
  "from cluster <name>", metadata `cinder.csi.openstack.org/cluster` and `manila.csi.openstack.org/cluster`. The name is
  the stack_id with capi-helm-charts, the cluster's Magnum id with the other drivers. Heat's Cinder CSI calls every
  cluster "kubernetes" (magnum 22, enable-cinder-csi.sh): its volumes are known by the ids that the cluster told.
- Magnum: application credentials `magnum-<id>-<8 hex>` (magnum-capi-helm, app_creds.py) or `<id>` (magnum-cluster-api,
  driver.py); trustees `<id>_<project>` (magnum 22, trust_manager.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

CINDER_CLUSTER = "cinder.csi.openstack.org/cluster"
MANILA_CLUSTER = "manila.csi.openstack.org/cluster"
CUT = 46
"""Characters of an owner's name that every machine's name keeps, after two random parts of 10 and 5 characters."""
MADE_BY_PROVIDER = "Created by cluster-api-provider-openstack cluster "


@dataclass(frozen=True)
class Mark:
    """What the things of one cluster are named after.

    Attributes:
        id: Magnum's id.
        name: the cluster's name; it marks nothing, since Magnum takes a name twice.
        stack_id: of the Heat stack, or the Cluster API cluster's name.
        project_id: of the cluster.
        stack_name: of the Heat stack.
        groups: names of its node groups.
        ca: the cluster's CA certificate (PEM); public.
    """

    id: str
    name: str = ""
    stack_id: str = ""
    project_id: str = ""
    stack_name: str = ""
    groups: tuple[str, ...] = ()
    ca: str = ""

    @property
    def resource(self) -> str:
        """Regular expression of what Cluster API's provider calls the cluster; fits nothing without a stack_id."""
        if not self.stack_id:
            return r"(?!)"
        project = re.sub("[^a-z0-9]", "", self.project_id.lower())
        spaces = [r"magnum-system"] + ([rf"[a-z0-9-]+-{re.escape(project)}"] if project else [])
        return rf"(?:{'|'.join(spaces)})-{re.escape(self.stack_id)}"

    @property
    def machine(self) -> str:
        """Regular expression of the names of its machines, as Cluster API and Heat make them."""
        ways = []
        if self.stack_id:
            ways += [_machine(f"{self.stack_id}-{_sanitized(group)}") for group in ("control-plane", *self.groups)]
        if self.stack_name:
            ways.append(rf"{re.escape(self.stack_name)}-(?:master|minion|node)-\d+")
        return rf"(?:{'|'.join(ways)})" if ways else r"(?!)"

    @property
    def called(self) -> str:
        """Regular expression of what cloud-provider-openstack calls the cluster."""
        names = [re.escape(name) for name in (self.id, self.stack_id) if name]
        return rf"(?:{'|'.join(names)})" if names else r"(?!)"


@dataclass(frozen=True)
class Marks:
    """What belongs to an environment.

    Attributes:
        clusters: every cluster that it made and whose end is not proved.
        made: ids by kind, of what Terraform's state, Heat and the clusters themselves named as theirs; `trustee`: of
            users that Magnum made for a trust, as Heat's stack names them.
    """

    clusters: tuple[Mark, ...] = ()
    made: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __or__(self, other: Marks) -> Marks:
        known = {mark.id: mark for mark in self.clusters}
        for mark in other.clusters:
            before = known.get(mark.id, mark)
            # what a half-deleted cluster does not tell any more is kept
            told = {key: value for key, value in asdict(mark).items() if value}
            known[mark.id] = replace(before, **told)
        kinds = self.made.keys() | other.made.keys()
        made = {kind: self.made.get(kind, frozenset()) | other.made.get(kind, frozenset()) for kind in kinds}
        return Marks(tuple(known.values()), made)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the journal."""
        return {
            "clusters": [asdict(mark) for mark in self.clusters],
            "made": {kind: sorted(ids) for kind, ids in sorted(self.made.items()) if ids},
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Marks:
        """From the data that `as_dict` gave."""
        clusters = (Mark(**{**entry, "groups": tuple(entry["groups"])}) for entry in data.get("clusters", ()))
        return cls(tuple(clusters), {kind: frozenset(ids) for kind, ids in data.get("made", {}).items()})

    def own(self, kind: str, thing: Any) -> bool:
        """Whether a thing of that kind belongs to the environment."""
        if kind == "trust" and thing.trustee_id in self.made.get("trustee", ()):
            return True
        return str(thing.id) in self.made.get(kind, ()) or any(belongs(kind, thing, mark) for mark in self.clusters)


def belongs(kind: str, thing: Any, mark: Mark) -> bool:
    """Whether a thing belongs to a cluster, by the names that drivers and controllers give.

    Args:
        kind: as in `leftovers.KINDS`.
        thing: as openstacksdk lists it.
        mark: the cluster.
    """
    name, description = _text(thing, "name"), _text(thing, "description")
    metadata = getattr(thing, "metadata", None) or {}
    by_provider = _is(rf"{MADE_BY_PROVIDER}{mark.resource}", description)
    served = rf"from cluster {mark.called}"
    match kind:
        case "cluster" | "stack":
            return str(thing.id) in {mark.id, mark.stack_id} - {""}
        case "server":
            return _is(mark.machine, name)
        case "load balancer":
            kubernetes = _is(rf"Kubernetes (external service|[Ii]ngress) .+ {served}(, version: .*)?", description)
            return by_provider or kubernetes
        case "floating IP":
            return by_provider or _is(rf"Floating IP for Kubernetes .+ {served}", description)
        case "port":
            return by_provider
        case "router" | "network" | "subnet":
            return _is(rf"k8s-clusterapi-cluster-{mark.resource}", name)
        case "security group":
            managed = _is(rf"k8s-cluster-{mark.resource}-secgroup-(controlplane|worker|bastion)", name)
            service = _is(rf"Security Group for .+ Service LoadBalancer in cluster {mark.called}", description)
            return managed or service or _is(rf"Security group created for Ingress .+ {served}", description)
        case "volume":
            ours = _is(rf"(Root volume|Additional block device) for {mark.machine}", description)
            return ours or _is(mark.called, str(metadata.get(CINDER_CLUSTER, "")))
        case "volume snapshot":
            return _is(mark.called, str(metadata.get(CINDER_CLUSTER, "")))
        case "share":
            return _is(mark.called, str(metadata.get(MANILA_CLUSTER, "")))
        case "server group":
            groups = "".join(rf"|-{re.escape(group)}" for group in mark.groups)
            return bool(mark.stack_id) and _is(rf"{re.escape(mark.stack_id)}({groups[1:]})?", name)
        case "application credential":
            return _is(rf"magnum-{re.escape(mark.id)}-[0-9a-f]{{8}}|{re.escape(mark.id)}", name)
        case "trust":
            return bool(mark.project_id) and _text(thing, "trustee_name") == f"{mark.id}_{mark.project_id}"
        case "secret container":
            return bool(mark.ca) and _text(thing, "certificate").split() == mark.ca.split()
    return False


def _machine(owner: str) -> str:
    """Machines of a control plane or MachineDeployment: random parts follow; names are cut (Cluster API: at 63)."""
    if len(owner) <= CUT:
        return rf"{re.escape(owner)}(?:-[a-z0-9]{{5,10}}){{1,2}}"
    return rf"{re.escape(owner[:CUT])}[a-z0-9-]*"


def _is(pattern: str, text: str) -> bool:
    return bool(text) and re.fullmatch(pattern, text, re.DOTALL) is not None


def _text(thing: Any, field_name: str) -> str:
    return str(getattr(thing, field_name, None) or "")


def _sanitized(name: str) -> str:
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
