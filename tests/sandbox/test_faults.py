"""Faults of the sandbox, seen through the real APIs, and gone when they are cleared. One cloud, few clusters."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from keystoneauth1.exceptions import ConnectFailure
from magnumclient.exceptions import HttpError
from tests.sandbox.cloud import Cloud, status, until
from tests.sandbox.conftest import sandbox

from magflow_sandbox.clusters.api import Api
from magflow_sandbox.clusters.infrastructure import connect_user
from magflow_sandbox.faults.reasons import CREATE_FAILED, MACHINE_FAILED
from magflow_sandbox.home import Home

IMAGES = {"service_type": "image"}
MACHINES = "/apis/cluster.x-k8s.io/v1beta1/machines"


@pytest.fixture(scope="module")
def cloud(cloud_home: Path) -> Cloud:
    return Cloud(cloud_home)


def ask(home: Path, *words: str) -> str:
    """`ask(home, "stuck", "--at", "nodes")` asks for a fault. Returns its id."""
    done = sandbox(home, "fault", "set", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def clear(home: Path, *names: str) -> None:
    """Take faults back; those that are gone already do not matter."""
    for name in names:
        done = sandbox(home, "fault", "clear", name)
        assert done.returncode == 0 or "is not set" in done.stderr, done.stderr


@pytest.fixture
def fault(cloud_home: Path) -> Iterator[Callable[..., str]]:
    """As `ask`; what the test asked for is cleared after it."""
    names: list[str] = []

    def asked(*words: str) -> str:
        names.append(ask(cloud_home, *words))
        return names[-1]

    yield asked
    clear(cloud_home, *names)


@pytest.fixture(scope="module")
def clusters(cloud: Cloud) -> Iterator[dict[str, str]]:
    """Ids of the clusters of these tests by name; what is left is removed."""
    made: dict[str, str] = {}
    yield made
    sandbox(cloud.home, "fault", "clear")
    for uuid in made.values():
        if uuid in {item.uuid for item in cloud.magnum.clusters.list()}:
            cloud.remove(uuid)


def look(cloud: Cloud, uuid: str) -> Any:
    return cloud.magnum.clusters.get(uuid)


def kube(cloud: Cloud, uuid: str) -> Api:
    return Api.from_kubeconfig(cloud.home / "clusters" / look(cloud, uuid).stack_id / "kubeconfig" / "admin")


def ready(api: Api) -> dict[str, str]:
    """Node -> status of its condition Ready."""
    return {
        node["metadata"]["name"]: condition["status"]
        for node in api.all("/api/v1/nodes")
        for condition in node["status"].get("conditions") or []
        if condition["type"] == "Ready"
    }


def counts(cloud: Cloud, uuid: str) -> dict[str, int]:
    found = list(ready(kube(cloud, uuid)).values())
    return {value: found.count(value) for value in found}


# -- answers of services


def get(cloud: Cloud, path: str = "/v2/images", **more: Any) -> Any:
    return cloud.sdk.session.get(path, endpoint_filter=IMAGES, raise_exc=False, **more)


@pytest.mark.parametrize(("answer", "page"), [("503", "No server is available"), ("500", "unexpected error")])
def test_a_service_answers_with_an_error_as_often_as_asked(
    cloud: Cloud, fault: Callable[..., str], answer: str, page: str
) -> None:
    name = fault("api", "--service", "glance", "--path", "/v2/images*", "--answer", answer, "--count", "2")
    found = [get(cloud) for _ in range(3)]
    assert [item.status_code for item in found] == [int(answer), int(answer), 200]
    assert page in found[0].text
    (told,) = status(cloud.home)["faults"]
    assert (told["id"], told["used"], told["spent"]) == (name, 2, True)


def test_a_connection_is_reset(cloud: Cloud, fault: Callable[..., str]) -> None:
    fault("api", "--service", "glance", "--answer", "reset", "--count", "1")
    with pytest.raises(ConnectFailure):
        get(cloud)
    assert get(cloud).status_code == 200


def test_a_service_is_slow(cloud: Cloud, fault: Callable[..., str]) -> None:
    fault("api", "--service", "glance", "--answer", "slow", "--seconds", "1.5")
    begun = time.monotonic()
    assert get(cloud).status_code == 200
    assert time.monotonic() - begun > 1.5


def test_only_what_is_meant_is_answered_wrongly(cloud: Cloud, fault: Callable[..., str]) -> None:
    fault("api", "--service", "glance", "--method", "POST", "--path", "/v2/images")
    fault("api", "--service", "nova", "--path", "/v2/images")
    assert get(cloud).status_code == 200


def test_what_is_done_may_be_answered_by_nothing_and_the_other_way_round(
    cloud: Cloud, fault: Callable[..., str]
) -> None:
    network = cloud.sdk.network
    lost = fault("api", "--service", "neutron", "--method", "POST", "--path", "/v2.0/networks", "--answer", "lost")
    with pytest.raises(ConnectFailure):
        cloud.sdk.session.post(
            "/v2.0/networks",
            json={"network": {"name": "lost"}},
            endpoint_filter={"service_type": "network"},
            connect_retries=0,
        )
    clear(cloud.home, lost)
    (made,) = network.networks(name="lost")
    words = ("--service", "neutron", "--method", "DELETE", "--path", "/v2.0/networks/*", "--answer", "ignored")
    ignored = fault("api", *words)
    network.delete_network(made)
    assert [item.id for item in network.networks(name="lost")] == [made.id]
    clear(cloud.home, ignored)
    network.delete_network(made)
    assert not list(network.networks(name="lost"))


# -- clusters that do not come


def test_clusters_fail_or_stay_as_asked(cloud: Cloud, clusters: dict[str, str]) -> None:
    """Four at once, of which one has an API server: that takes as long as one."""
    home = cloud.home
    ask(home, "stuck", "--cluster", "f-infra", "--at", "infrastructure")
    ask(home, "stuck", "--cluster", "f-api", "--at", "api")
    ask(home, "create-failed", "--cluster", "f-failed", "--reason", "quota")
    ask(home, "stuck", "--cluster", "f-status", "--at", "status")
    ask(home, "node-not-ready", "--cluster", "f-status", "--group", "default-worker", "--count", "1")
    for name in ("f-infra", "f-api", "f-failed", "f-status"):
        clusters[name] = cloud.create(name, node_count=2)

    failed = cloud.settled(clusters["f-failed"])
    assert (failed.status, failed.status_reason) == ("CREATE_FAILED", CREATE_FAILED["quota"].text)

    until("an address", lambda: look(cloud, clusters["f-api"]).api_address, 180)
    stuck = {name: look(cloud, clusters[name]) for name in ("f-infra", "f-api")}
    networks = [item.name for item in cloud.sdk.network.networks()]
    has = {name: any(item.stack_id in network for network in networks) for name, item in stuck.items()}
    assert has == {"f-infra": False, "f-api": True}
    assert stuck["f-infra"].api_address is None
    assert not any("apiserver" in item["name"] and "f-api" in item["name"] for item in status(cloud.home)["programs"])

    def nodes() -> dict[str, int]:
        folder = cloud.home / "clusters" / look(cloud, clusters["f-status"]).stack_id
        return counts(cloud, clusters["f-status"]) if (folder / "kubeconfig" / "admin").exists() else {}

    until("a node that is not Ready", lambda: _quiet(nodes) == {"True": 2, "False": 1}, 180)
    clear(home, "node-not-ready")
    until("all nodes are Ready", lambda: nodes() == {"True": 3}, 90)
    usable = look(cloud, clusters["f-status"])
    assert kube(cloud, clusters["f-status"]).ok("/healthz")
    assert usable.status == "CREATE_IN_PROGRESS" and usable.api_address
    assert {look(cloud, clusters[name]).status for name in ("f-infra", "f-api")} == {"CREATE_IN_PROGRESS"}


def _quiet(ask: Callable[[], Any]) -> Any:
    """Of an API server that may not answer yet."""
    try:
        return ask()
    except Exception:
        return None


def test_a_cleared_fault_lets_the_cluster_come(cloud: Cloud, clusters: dict[str, str]) -> None:
    (name,) = [item["id"] for item in status(cloud.home)["faults"] if item["options"].get("at") == "status"]
    clear(cloud.home, name)
    assert cloud.settled(clusters["f-status"]).status == "CREATE_COMPLETE"


def test_a_machine_that_fails_says_why_and_its_group_waits(
    cloud: Cloud, clusters: dict[str, str], fault: Callable[..., str]
) -> None:
    uuid = clusters["f-status"]
    name = fault("machine-failed", "--cluster", "f-status", "--group", "default-worker", "--reason", "no-valid-host")
    cloud.magnum.clusters.resize(uuid, 3)
    management = Api.from_kubeconfig(cloud.home / "etc" / "management.kubeconfig")
    stack = look(cloud, uuid).stack_id

    def failed() -> list[str]:
        found = management.all(MACHINES, labelSelector=f"cluster.x-k8s.io/cluster-name={stack}")
        return [item["status"]["failureMessage"] for item in found if item.get("status", {}).get("phase") == "Failed"]

    (said,) = until("the machine fails", failed, 90)
    assert said.endswith(MACHINE_FAILED["no-valid-host"].text)
    assert look(cloud, uuid).status == "UPDATE_IN_PROGRESS"
    assert counts(cloud, uuid) == {"True": 3}
    clear(cloud.home, name)
    assert cloud.settled(uuid).status == "UPDATE_COMPLETE"
    assert counts(cloud, uuid) == {"True": 4}


@pytest.mark.parametrize(("how", "seen"), [("dead", {"True": 3, "Unknown": 1}), ("absent", {"True": 3})])
def test_a_node_that_was_ready_may_be_lost(
    cloud: Cloud, clusters: dict[str, str], fault: Callable[..., str], how: str, seen: dict[str, int]
) -> None:
    uuid = clusters["f-status"]
    words = ("--cluster", "f-status", "--group", "default-worker", "--count", "1", "--how", how)
    name = fault("node-not-ready", *words)
    until(f"a node is {how}", lambda: counts(cloud, uuid) == seen, 60)
    clear(cloud.home, name)
    until("it is Ready again", lambda: counts(cloud, uuid) == {"True": 4}, 90)


# -- upgrades and claims, on the same cluster


def test_a_new_template_replaces_the_machines(cloud: Cloud, clusters: dict[str, str]) -> None:
    uuid = clusters["f-status"]
    before = set(ready(kube(cloud, uuid)))
    image = "ubuntu-jammy-kube-v1.36.3"
    template = cloud.template("f-upgrade", image, labels={"boot_volume_size": "50"})
    cloud.magnum.clusters.upgrade(uuid, template.uuid)
    assert cloud.settled(uuid).status == "UPDATE_COMPLETE"
    assert look(cloud, uuid).cluster_template_id == template.uuid

    def replaced() -> bool:
        after = ready(kube(cloud, uuid))
        return not before & set(after) and list(after.values()) == ["True"] * 4

    # upstream: Magnum may say so when the first worker is new
    until("every machine is another", replaced, 180)


def test_an_upgrade_without_binaries_fails_with_the_reason(cloud: Cloud, clusters: dict[str, str]) -> None:
    uuid = clusters["f-status"]
    template = cloud.template("f-no-binaries", "ubuntu-jammy-kube-v1.35.4")
    with pytest.raises(HttpError):
        cloud.magnum.clusters.upgrade(uuid, template.uuid)
    found = cloud.settled(uuid)
    # upstream: Magnum's periodic look, begun while the upgrade was tried, may write COMPLETE over FAILED
    assert found.status in {"UPDATE_FAILED", "UPDATE_COMPLETE"}
    assert "Kubernetes 1.35.4 (kube_version of the image) is not available here" in found.status_reason
    assert counts(cloud, uuid) == {"True": 4}


def volumes_of(cloud: Cloud, name: str) -> list[Any]:
    """The volumes of a cluster's claims; other tests leave theirs, as the driver does."""
    cluster = "cinder.csi.openstack.org/cluster"
    return [item for item in cloud.sdk.block_storage.volumes() if name in item.metadata.get(cluster, "")]


def test_a_claim_gets_a_volume_that_outlives_it(cloud: Cloud, clusters: dict[str, str]) -> None:
    """The driver's storage class retains: who deletes the claim alone leaves the volume."""
    api, stack = kube(cloud, clusters["f-status"]), look(cloud, clusters["f-status"]).stack_id
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1500Mi"}}}
    claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    api.create(claims, {"metadata": {"name": "data"}, "spec": spec})
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    api.create(
        "/api/v1/namespaces/default/pods",
        {
            "metadata": {"name": "user"},
            "spec": {"containers": [{"name": "main", "image": "any"}], "volumes": volumes},
        },
    )
    bound = until("the claim is bound", lambda: (api.get(f"{claims}/data") or {})["status"]["phase"] == "Bound", 90)
    assert bound
    (volume,) = volumes_of(cloud, "f-status")
    assert (volume.size, volume.status) == (2, "available")
    assert volume.metadata["cinder.csi.openstack.org/cluster"] == stack
    assert volume.metadata["csi.storage.k8s.io/pvc/name"] == "data"
    api.delete("/api/v1/namespaces/default/pods/user", gracePeriodSeconds=0)
    api.delete(f"{claims}/data")
    until("the volume is released", lambda: _phases(api) == ["Released"], 90)
    assert [item.id for item in volumes_of(cloud, "f-status")] == [volume.id]


def _phases(api: Api) -> list[str]:
    return [item["status"]["phase"] for item in api.all("/api/v1/persistentvolumes")]


# -- clusters that do not go


def test_after_a_cast_the_old_status_is_answered_for_a_while(
    cloud: Cloud, clusters: dict[str, str], fault: Callable[..., str]
) -> None:
    uuid = clusters["f-status"]
    fault("leave-behind", "port", "--cluster", "f-status")
    fault("leave-behind", "floating-ip", "--cluster", "f-status")
    fault("leave-behind", "application-credential", "--cluster", "f-status")
    fault("leave-behind", "trust", "--cluster", "f-status")
    fault("stale-status", "--cluster", "f-status", "--requests", "3")
    before = look(cloud, uuid).status
    cloud.magnum.clusters.delete(uuid)
    seen = [look(cloud, uuid).status for _ in range(3)]
    assert seen == [before] * 3
    until("the deletion has begun", lambda: look(cloud, uuid).status == "DELETE_IN_PROGRESS", 60)
    cloud.remove(uuid)


def test_what_was_asked_for_is_left_and_nothing_else(cloud: Cloud, clusters: dict[str, str]) -> None:
    network, uuid = cloud.sdk.network, clusters.pop("f-status")
    project = {"project_id": cloud.sdk.current_project_id}
    (port,) = [item for item in network.ports(**project) if "f-status" in item.name]
    assert "default-worker" in port.name and port.description.startswith("Created by cluster-api-provider-openstack")
    (floating,) = [item for item in network.ips(**project) if "f-status" in item.description]
    (own,) = [item for item in network.networks(**project) if "f-status" in item.name]
    assert port.network_id == own.id
    assert not [item for item in network.security_groups(**project) if "f-status" in item.name]
    assert not [item for item in network.routers(**project) if "f-status" in item.name]
    identity, user = cloud.sdk.identity, cloud.sdk.current_user_id
    (credential,) = [item for item in identity.application_credentials(user) if uuid in item.name]
    admin = Cloud(cloud.home, "sandbox-admin").sdk.identity
    trustees = {trust.id: admin.get_user(trust.trustee_user_id).name for trust in admin.trusts(trustor_user_id=user)}
    (trust,) = [id for id, name in trustees.items() if name == f"{uuid}_{cloud.sdk.current_project_id}"]
    (volume,) = volumes_of(cloud, "f-status")
    # by hand, as an operator would
    network.delete_ip(floating)
    network.delete_port(port)
    network.delete_network(own)
    identity.delete_application_credential(user, credential)
    with connect_user(Home(cloud.home)) as by_password:  # Keystone keeps application credentials from trusts
        by_password.identity.delete_trust(trust)
    cloud.sdk.block_storage.delete_volume(volume)


@pytest.mark.parametrize(
    ("name", "by", "said"),
    [
        ("f-failed", "security-group", "failed to delete security groups: .*409.* in use"),
        ("f-api", "network", "failed to delete network: .*409.*ports still in use on the network"),
    ],
)
def test_foreign_ports_block_the_deletion(
    cloud: Cloud, clusters: dict[str, str], fault: Callable[..., str], name: str, by: str, said: str
) -> None:
    uuid = clusters[name]
    fault("delete-blocked", "--cluster", name, "--by", by)
    cloud.magnum.clusters.delete(uuid)
    health = until("the reason", lambda: _matches(said, str(look(cloud, uuid).health_status_reason)), 180)
    assert health and look(cloud, uuid).status == "DELETE_IN_PROGRESS"
    foreign = [item for item in cloud.sdk.network.ports() if item.name.startswith("octavia-lb-vrrp-")]
    assert len(foreign) == 2
    # an operator's way out: the fault does not make them again
    for port in foreign:
        cloud.sdk.network.delete_port(port)
    cloud.remove(clusters.pop(name))
    for network in cloud.sdk.network.networks(project_id=cloud.sdk.current_project_id):
        if network.name.startswith("left-over-"):
            cloud.sdk.network.delete_network(network)


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


def test_a_finalizer_blocks_the_deletion_until_the_fault_is_cleared(
    cloud: Cloud, clusters: dict[str, str], fault: Callable[..., str]
) -> None:
    uuid = clusters["f-infra"]
    name = fault("delete-blocked", "--cluster", "f-infra", "--by", "finalizer")
    cloud.magnum.clusters.delete(uuid)
    management = Api.from_kubeconfig(cloud.home / "etc" / "management.kubeconfig")

    def held() -> list[str]:
        return [
            item["metadata"]["name"]
            for item in management.all("/apis/cluster.x-k8s.io/v1beta1/clusters")
            if item["metadata"].get("deletionTimestamp")
        ]

    until("the object is held", held, 90)
    until("its infrastructure is gone", lambda: not _infrastructure(management), 90)
    assert look(cloud, uuid).status == "DELETE_IN_PROGRESS"
    clear(cloud.home, name)
    cloud.remove(clusters.pop("f-infra"))


def _infrastructure(management: Api) -> list[Any]:
    return management.all("/apis/infrastructure.cluster.x-k8s.io/v1beta1/openstackclusters")


def test_nothing_is_left_of_all_this(cloud: Cloud, clusters: dict[str, str]) -> None:
    assert clusters == {}
    assert sandbox(cloud.home, "fault", "clear").returncode == 0
    assert status(cloud.home)["faults"] == []
    assert {kind: found for kind, found in cloud.traces().items() if found} == {}
    assert volumes_of(cloud, "f-") == []
