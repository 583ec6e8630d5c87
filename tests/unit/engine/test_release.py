"""Load balancers and volumes go before the cluster; what mounts a claim goes too, and no other workload does."""

import pytest

from magflow.engine.destroy.release import held, release
from magflow.errors import MagflowError


class Kube:
    """A cluster that holds some things; what is deleted goes, unless a pod still mounts it."""

    def __init__(self, *things, stays=()):
        self.things, self.stays, self.deleted = list(things), set(stays), []

    def each(self, _version, kind):
        return [thing for thing in self.things if thing["kind"] == kind]

    def get(self, _version, kind, name, _namespace):
        return next((t for t in self.things if (t["kind"], t["metadata"]["name"]) == (kind, name)), None)

    def delete(self, _version, kind, name, _namespace):
        self.deleted.append((kind, name))
        gone = {name} - self.stays
        if kind == "PersistentVolumeClaim" and any(self._mounts(thing, name) for thing in self.things):
            self._pending = name
            return
        self.things = [t for t in self.things if t["metadata"]["name"] not in gone and self._owner(t) not in gone]
        pending = getattr(self, "_pending", None)
        if pending and not any(self._mounts(thing, pending) for thing in self.things):
            self.things = [t for t in self.things if t["metadata"]["name"] != pending]

    @staticmethod
    def _mounts(thing, claim):
        volumes = thing["spec"].get("volumes") or []
        return any(volume.get("persistentVolumeClaim", {}).get("claimName") == claim for volume in volumes)

    @staticmethod
    def _owner(thing):
        return next((owner["name"] for owner in thing["metadata"].get("ownerReferences", ())), None)


def thing(kind, name, owner=None, **spec):
    owners = [{"apiVersion": "apps/v1", "kind": owner[0], "name": owner[1], "controller": True}] if owner else []
    metadata = {"name": name, "namespace": "default", "ownerReferences": owners}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}


def pod(name, owner, claim=None):
    volumes = [{"persistentVolumeClaim": {"claimName": claim}}] if claim else [{"emptyDir": {}}]
    return thing("Pod", name, owner, volumes=volumes)


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch):
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _seconds: None)


def silent(_words):
    pass


def test_load_balancers_and_claims_go_first():
    kube = Kube(
        thing("Service", "web", type="LoadBalancer"), thing("Service", "api"), thing("PersistentVolumeClaim", "data")
    )
    assert release(kube, silent) == "2 load balancers and claims were released"
    assert kube.deleted == [("Service", "web"), ("PersistentVolumeClaim", "data")]
    assert release(kube, silent) == "no load balancer and no volume is held"


def test_what_mounts_a_claim_goes_by_its_topmost_owner_and_others_stay():
    kube = Kube(
        thing("PersistentVolumeClaim", "data"),
        thing("Deployment", "mysql"),
        thing("ReplicaSet", "mysql-1", ("Deployment", "mysql")),
        pod("mysql-1-x", ("ReplicaSet", "mysql-1"), "data"),
        thing("Deployment", "web"),
        pod("web-x", ("Deployment", "web")),
    )
    release(kube, silent)
    assert ("Deployment", "mysql") in kube.deleted
    assert [t["metadata"]["name"] for t in kube.things if t["kind"] == "Deployment"] == ["web"]


def test_what_does_not_go_is_told():
    with pytest.raises(MagflowError, match="PersistentVolumeClaim default/data"):
        release(Kube(thing("PersistentVolumeClaim", "data"), stays={"data"}), silent, within=0.0)


def volume(name, policy="Delete", provisioned=True, claim="data", **source):
    found = thing("PersistentVolume", name, persistentVolumeReclaimPolicy=policy, **source)
    found["spec"]["claimRef"] = {"namespace": "default", "name": claim}
    if provisioned:
        found["metadata"]["annotations"] = {"pv.kubernetes.io/provisioned-by": "cinder.csi.openstack.org"}
    return found


CINDER = {"driver": "cinder.csi.openstack.org", "volumeHandle": "v1"}


def test_a_volume_that_its_driver_still_deletes_is_waited_for_and_a_retained_one_is_not():
    waiting = Kube(thing("PersistentVolumeClaim", "data"), volume("pv", csi=CINDER))
    with pytest.raises(MagflowError, match="PersistentVolume pv"):
        release(waiting, silent, within=0.0)
    retained = Kube(thing("PersistentVolumeClaim", "data"), volume("pv", policy="Retain", csi=CINDER))
    assert "1 load" in release(retained, silent, within=0.0)


def test_volumes_are_known_by_their_ids_and_static_ones_are_somebodys():
    kube = Kube(
        volume("a", csi=CINDER),
        volume("b", cinder={"volumeID": "v2"}),
        volume("c", csi={"driver": "nfs.manila.csi.openstack.org", "volumeHandle": "m1"}),
        volume("d", csi={"driver": "nfs.csi.k8s.io", "volumeHandle": "n1"}),
        volume("e", provisioned=False, csi=CINDER | {"volumeHandle": "before"}),
    )
    assert held(kube).made == {"volume": {"v1", "v2"}, "share": {"m1"}}
