"""The proof of teardown on the sandbox cloud: each kind is left on purpose beside a stranger's twin that survives."""

from __future__ import annotations

import itertools
import json
import shlex
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.sandbox.conftest import sandbox
from tests.sandbox.suite import MAGFLOW, Suite, outcomes

from magflow.cloud import connection, magnum
from magflow.kube.client import connect
from magflow.settings import Cloud

OPENSTACK = Path(sys.executable).with_name("openstack")
LEFT = ("port", "floating-ip", "network", "router", "security-group", "volume", "application-credential")
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data", "namespace": "default"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
MOUNTS = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "mounts", "namespace": "default"},
    "spec": {
        "containers": [{"name": "one", "image": "docker.io/library/busybox"}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
    },
}
"""Its scheduling makes the claim's volume, and while it is there the claim does not go."""

BALANCER = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], "selector": {"app": "web"}},
}


@pytest.fixture(scope="module")
def suite(cloud_home, tmp_path_factory):
    made = Suite(home=cloud_home, folder=tmp_path_factory.mktemp("teardown"), name="tear")
    workers = {"default-worker": {"flavor": "bm.cpu", "count": 1}}
    # the driver's own class retains volumes (magnum-capi-helm 1.4, conf.py); the further cluster's deletes them
    labels = {"csi_cinder_reclaim_policy": "Delete"}
    made.save(lambda d: d.update(clusters={"further": {"node_groups": workers, "extra_labels": labels}}))
    made.report("deploy", str(made.file), "--only", "cluster")
    yield made
    sandbox(cloud_home, "fault", "clear")


@pytest.fixture(scope="module")
def cloud(cloud_home):
    return connection.connect(Cloud(name="sandbox", clouds_file=cloud_home / "clouds.yaml"))


@pytest.fixture(scope="module")
def ours(suite, cloud):
    """Ids of our cluster."""
    facts = json.loads((suite.run / "facts.json").read_text())
    shown = magnum.show(cloud, facts["clusters"]["tear"]["id"])
    return SimpleNamespace(
        id=shown["uuid"], stack=shown["stack_id"], project=shown["project_id"], template=shown["cluster_template_id"]
    )


@pytest.fixture(scope="module")
def twins(cloud, ours):
    """A stranger's things of each kind, named closely after ours; each with how it is looked for."""
    resource = f"magnum-{ours.project}-{ours.stack}"
    said = f"Created by cluster-api-provider-openstack cluster {resource}-2"
    net, volumes, identity = cloud.network, cloud.block_storage, cloud.identity
    coe = cloud.container_infrastructure_management
    network = net.create_network(name=f"k8s-clusterapi-cluster-{resource}-2")
    subnet = net.create_subnet(name=network.name, network_id=network.id, ip_version=4, cidr="10.9.0.0/24")
    router = net.create_router(name=network.name, external_gateway_info={"network_id": net.find_network("public").id})
    group = net.create_security_group(
        name=f"k8s-cluster-{resource}-2-secgroup-worker", description="Cluster API managed group"
    )
    port = net.create_port(
        name=f"{ours.stack}-gpu-abcde-0", network_id=network.id, description=said, security_groups=[group.id]
    )
    address = net.create_ip(floating_network_id=net.find_network("public").id, description=said)
    names = {"cinder.csi.openstack.org/cluster": f"{ours.stack}-2"}
    volume = volumes.create_volume(name="pvc-1", size=1, metadata=names)
    other = volumes.create_volume(name=ours.stack, size=1, metadata={"cinder.csi.openstack.org/cluster": "kubernetes"})
    keypair = cloud.compute.create_keypair(name="tear")
    credential = identity.create_application_credential(cloud.current_user_id, name=f"magnum-{ours.id[:-1]}-0a1b2c3d")
    template = coe.create_cluster_template(
        name=coe.get_cluster_template(ours.template).name, coe="kubernetes", image_id="ubuntu-jammy-kube-v1.36.3",
        external_network_id="public", flavor_id="bm.cpu", master_flavor_id="bm.control", keypair_id="magflow",
    )  # fmt: skip
    cluster = coe.create_cluster(name="tear", cluster_template_id=template.id, master_count=1, node_count=1)
    deadline = time.monotonic() + 120
    while not magnum.show(cloud, cluster.id)["status"].endswith("_COMPLETE"):
        assert time.monotonic() < deadline
        time.sleep(1)
    made = {
        "cluster": (cluster.id, lambda i: magnum.show(cloud, i)),
        "cluster template": (template.id, coe.find_cluster_template),
        "network": (network.id, net.find_network),
        "subnet": (subnet.id, net.find_subnet),
        "router": (router.id, net.find_router),
        "security group": (group.id, net.find_security_group),
        "port": (port.id, net.find_port),
        "floating IP": (address.id, net.find_ip),
        "volume": (volume.id, volumes.find_volume),
        "volume of Heat's cluster name": (other.id, volumes.find_volume),
        "keypair": (keypair.id, cloud.compute.find_keypair),
        "application credential": (
            credential.id, lambda i: identity.find_application_credential(cloud.current_user_id, i)
        ),
    }  # fmt: skip
    of_twin = f"magnum-{ours.project}-{magnum.show(cloud, cluster.id)['stack_id']}"
    yield {**made, "of the other cluster": (of_twin, lambda name: _of(cloud, name))}
    coe.delete_cluster(cluster.id)
    for thing, delete in (
        (router, net.delete_router), (address, net.delete_ip), (port, net.delete_port), (network, net.delete_network),
        (group, net.delete_security_group), (keypair, cloud.compute.delete_keypair),
    ):  # fmt: skip
        delete(thing)
    identity.delete_application_credential(cloud.current_user_id, credential)
    while magnum.show(cloud, cluster.id):
        time.sleep(1)
    coe.delete_cluster_template(template)


def _of(cloud, resource):
    """What the driver made for a cluster: network, router, two groups, ports."""
    found = [*cloud.network.networks(), *cloud.network.routers(), *cloud.network.security_groups()]
    names = [item.name for item in found if resource in item.name]
    ports = [p for p in cloud.network.ports() if p.description.endswith(resource)]
    return len(names) == 4 and len(ports) >= 3


def volume_of(kube):
    """Id of the volume behind the claim, once it is bound."""
    deadline = time.monotonic() + 60
    while not (found := kube.list("v1", "PersistentVolume")):
        assert time.monotonic() < deadline, kube.list("v1", "PersistentVolumeClaim")
        time.sleep(1)
    return found[0]["spec"]["csi"]["volumeHandle"]


def surviving(twins):
    return [kind for kind, (identifier, find) in twins.items() if not find(identifier)]


def left(report):
    return {finding["path"]: finding for finding in report["findings"]}


def test_load_balancers_and_claims_are_released_and_what_is_left_is_listed_with_its_commands(suite, cloud, ours, twins):
    kubes = [suite.kube, connect(suite.run / "kubeconfigs" / "further")]
    for kube, item in itertools.product(kubes, (CLAIM, MOUNTS, BALANCER)):
        path = kube.resource(item["apiVersion"], item["kind"]).path(item["metadata"]["namespace"])
        kube.call("POST", path, body=item)
    volumes = [volume_of(kube) for kube in kubes]
    assert all(cloud.block_storage.find_volume(volume) for volume in volumes)
    for what in LEFT:
        done = sandbox(suite.home, "fault", "set", "leave-behind", what, "--cluster", ours.stack)
        assert done.returncode == 0, done.stdout + done.stderr
    done = suite.magflow("destroy", str(suite.file), "--yes", "--json")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert outcomes(report) == {"nothing-is-left": "failed"}
    found = left(report)
    kinds = {path.split(" ", 1)[1].rpartition(" ")[0] for path in found}
    assert kinds >= {
        "port", "floating IP", "network", "router", "security group", "volume", "application credential",
    }  # fmt: skip
    ids = {path.rpartition(" ")[2] for path in found}
    assert not ids & {identifier for identifier, _ in twins.values()}
    assert surviving(twins) == []
    assert magnum.show(cloud, ours.id) is None
    # a retained volume is listed, since the cluster that named it told its id; the other went before its cluster did
    retained, deleted = volumes
    assert retained in ids
    assert cloud.block_storage.find_volume(deleted) is None
    assert "further" not in {cluster.name for cluster in magnum.clusters(cloud)}


def test_the_proof_can_be_asked_for_alone_and_its_commands_work(suite, twins):
    done = suite.magflow("leftovers", str(suite.file), "--json")
    assert done.returncode == 1, done.stderr
    found = left(json.loads(done.stdout))
    assert found
    env = suite.env | {"OS_CLIENT_CONFIG_FILE": str(suite.home / "clouds.yaml"), "OS_CLOUD": "sandbox"}
    sandbox(suite.home, "fault", "clear")
    for finding in found.values():
        for command in finding["hint"].split("; "):
            words = shlex.split(command)
            if "SUBNET" in words:
                words[words.index("SUBNET")] = words[words.index("SUBNET") - 1]  # named like its network and router
            ran = subprocess.run(
                [OPENSTACK, *words[1:]], env=env, capture_output=True, text=True, timeout=120, check=False
            )
            assert ran.returncode == 0 or "remove subnet" in command, f"{command}: {ran.stderr}"
    again = suite.magflow("leftovers", str(suite.file), "--json")
    assert again.returncode == 0, again.stdout
    assert "nothing left; looked into magnum" in json.loads(again.stdout)["checks"][0]["evidence"]
    assert surviving(twins) == []


def test_destroy_again_finds_nothing_to_do(suite, twins):
    report = suite.report("destroy", str(suite.file), "--yes")
    assert outcomes(report) == {"nothing-is-left": "ok"}
    assert surviving(twins) == []
    assert not (suite.run / "kubeconfig").exists()


def test_a_deletion_that_is_held_up_is_told_and_goes_on_when_that_is_taken_away(cloud_home, cloud, tmp_path):
    held = Suite(home=cloud_home, folder=tmp_path, name="held")
    held.report("deploy", str(held.file), "--only", "cluster")
    done = sandbox(cloud_home, "fault", "set", "delete-blocked", "--by", "security-group", "--cluster", "held")
    assert done.returncode == 0, done.stdout + done.stderr
    words = [MAGFLOW, "destroy", str(held.file), "--yes"]
    with (tmp_path / "said").open("w+") as said:
        process = subprocess.Popen(words, env=held.env, stdout=said, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 180
            while "SECURITY_GROUP_IN_USE" not in (text := (tmp_path / "said").read_text()):
                assert process.poll() is None, text
                assert time.monotonic() < deadline, text
                time.sleep(1)
        finally:
            # the fault's own ports go with it, as an operator would delete them
            sandbox(cloud_home, "fault", "clear")
        assert process.wait(timeout=180) == 0, (tmp_path / "said").read_text()
    assert "do: openstack port list --security-group" in text
    assert "nothing left" in (tmp_path / "said").read_text()
    assert [cluster for cluster in magnum.clusters(cloud) if cluster.name == "held"] == []
