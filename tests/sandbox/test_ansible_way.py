"""The Ansible way on the sandbox: it ends in what Terraform makes, says what it cannot, and takes all away."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.suite import ROOT, Suite, outcomes

from magflow import settings_file
from magflow.cloud import connection, live_facts, magnum

ANSIBLE = Path(sys.executable).with_name("ansible-playbook")
OWN = {"uuid", "id", "stack_id", "links", "created_at", "updated_at", "cluster_id", "location"}
"""What differs between two clusters of one kind."""
LATER = ["node_pools", "training_operator", "ingress", "smoke"]


@dataclass
class Way(Suite):
    """An environment of one worker group, which is all that openstack.cloud's modules know."""

    name: str = "hand"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.save(lambda d: d["node_groups"].pop("gpu"))
        self.save(lambda d: d["node_groups"]["default-worker"].update(count=1))
        self.save(lambda d: d["cluster"].update(extra_labels={"kube_dashboard_enabled": "false"}))
        self.save(lambda d: d.setdefault("smoke", {}).update(gpus_per_worker=0, workers=1))

    def playbook(self, *words: str) -> subprocess.CompletedProcess[str]:
        line = [ANSIBLE, "playbooks/magnum_cluster.yml", "-i", "inventories/example", "-e", f"@{self.file}", *words]
        env = self.env | {"ANSIBLE_NOCOLOR": "1"}
        return subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=900)

    @property
    def cloud(self) -> Any:
        return connection.connect(settings_file.load(str(self.file)).settings.cloud)

    def held(self) -> dict[str, Any]:
        """Magnum's answers on the cluster, its template and its node groups."""
        cluster = magnum.show(self.cloud, self.name)
        template = live_facts.template(self.cloud, self.name)
        groups = magnum.show_node_groups(self.cloud, cluster["uuid"]) if cluster else []
        return {"cluster": cluster, "template": template, "groups": {group["name"]: group for group in groups}}


def said(done: subprocess.CompletedProcess[str]) -> str:
    """What it printed, on one line: Ansible breaks long messages."""
    return " ".join((done.stdout + done.stderr).split())


def changed(done: subprocess.CompletedProcess[str]) -> int:
    assert done.returncode == 0, done.stdout + done.stderr
    (count,) = [word for word in done.stdout.split() if word.startswith("changed=")]
    return int(count.removeprefix("changed="))


@pytest.fixture(scope="module")
def hand(cloud_home, tmp_path_factory):
    way = Way(home=cloud_home, folder=tmp_path_factory.mktemp("ways"))
    yield way
    way.playbook("-e", "magnum_cluster_state=absent")


@pytest.fixture(scope="module")
def terraform(cloud_home, tmp_path_factory):
    way = Way(home=cloud_home, folder=tmp_path_factory.mktemp("ways"), name="land")
    way.report("deploy", str(way.file), "--only", "cluster")
    yield way
    way.magflow("destroy", str(way.file), "--yes")


def test_what_the_modules_cannot_do_is_told_before_anything_starts(hand):
    good = json.dumps(hand.data)
    hand.save(lambda d: d["node_groups"].update(gpu={"flavor": "bm.gpu4", "count": 1, "gpus": 4}))
    hand.save(lambda d: d["network"].update(driver="cilium"))
    hand.save(lambda d: d["cluster"].update(own_labels={"a": "b"}, merge_labels=True))
    done = hand.playbook()
    hand.data = json.loads(good)
    hand.save()
    assert done.returncode == 2
    assert "the Ansible way cannot make this cluster" in said(done)
    for key in ("node_groups.gpu", "network.driver", "cluster.merge_labels"):
        assert key in said(done), key
    assert "Traceback" not in said(done)
    assert hand.held() == {"cluster": None, "template": None, "groups": {}}


def test_check_mode_makes_nothing(hand):
    assert changed(hand.playbook("--check")) == 2
    assert hand.held() == {"cluster": None, "template": None, "groups": {}}
    assert not hand.run.exists()


def test_it_is_made_and_made_once(hand):
    assert changed(hand.playbook()) > 0
    assert hand.held()["cluster"]["status"] == "CREATE_COMPLETE"
    assert {path.name: path.stat().st_mode & 0o777 for path in hand.run.iterdir()} == {
        "facts.json": 0o600,
        "kubeconfig": 0o600,
    }
    assert changed(hand.playbook()) == 0
    assert changed(hand.playbook("--check")) == 0


def alike(thing: Any, name: str) -> Any:
    """An answer without what is one cluster's own."""
    if isinstance(thing, dict):
        return {key: alike(value, name) for key, value in thing.items() if key not in OWN}
    return "NAME" if thing == name else thing


def test_both_ways_end_in_the_same_cluster(hand, terraform):
    ours, theirs = alike(hand.held(), hand.name), alike(terraform.held(), terraform.name)
    for held in (ours, theirs):
        assert held["cluster"].pop("cluster_template_id")
        assert held["cluster"].pop("api_address")
    assert ours == theirs
    assert ours["template"]["labels"]["kube_dashboard_enabled"] == "false"
    assert sorted(ours["groups"]) == ["default-master", "default-worker"]


def test_both_ways_give_the_same_facts(hand, terraform):
    def facts(way: Way) -> Any:
        kept = json.loads((way.run / "facts.json").read_text())
        (cluster,) = kept["clusters"].values()
        assert (kept.pop("main"), kept.pop("clusters")) == (way.name, {way.name: cluster})
        assert [cluster.pop(key) for key in ("template_id", "api_address")]
        return alike(kept | {"cluster": cluster}, way.name)

    assert facts(hand) == facts(terraform)


def test_each_way_takes_the_others_cluster_as_its_own(hand, terraform):
    """The playbook finds nothing to change in what Terraform made, and writes the same facts and kubeconfig."""
    before = (terraform.run / "facts.json").read_text()
    assert changed(terraform.playbook()) == 0
    assert (terraform.run / "facts.json").read_text() == before


def test_later_stages_go_on_from_its_facts(hand):
    hand.save(lambda d: d.update(stages={"cluster": False}))
    report = hand.deploy()
    names = [stage["stage"] for stage in report["stages"]]
    assert names[-len(LATER) :] == LATER and "cluster" not in names
    assert outcomes(report)["job-succeeds"] == "ok"


def test_a_change_is_refused_by_name_and_changes_nothing(hand):
    before = hand.held()
    hand.save(lambda d: d["node_groups"]["default-worker"].update(count=2))
    grown = hand.playbook()
    hand.save(lambda d: d["node_groups"]["default-worker"].update(count=1))
    hand.save(lambda d: d["cluster"].update(extra_labels={"kube_dashboard_enabled": "true"}))
    labelled = hand.playbook()
    hand.save(lambda d: d["cluster"].update(extra_labels={"kube_dashboard_enabled": "false"}))
    for done, word in ((grown, "node_count"), (labelled, "labels")):
        assert done.returncode == 2
        assert f"Cannot update parameters ['{word}']" in said(done)
        assert "make and remove, and change nothing" in said(done)
    assert hand.held() == before


def test_magnums_reason_is_passed_on_and_the_rest_is_taken_away(cloud_home, tmp_path):
    stray = Way(home=cloud_home, folder=tmp_path, name="stray")
    stray.save(lambda d: d["cluster"]["control_plane"].update(flavor="bm.tiny"))
    done = stray.playbook()
    assert done.returncode == 2
    assert "CREATE_FAILED" in said(done) and "Minimum 2048 MB required" in said(done)
    assert changed(stray.playbook("-e", "magnum_cluster_state=absent")) == 2
    assert stray.held() == {"cluster": None, "template": None, "groups": {}}


MISSING = {
    "image 'nobody'": lambda d: d["image"].update(name="nobody"),
    "network 'nowhere'": lambda d: d["network"].update(external="nowhere"),
    "network 'nobodys'": lambda d: d["network"].update(fixed="nobodys", subnet="nobodys"),
    "subnet 'nobodys' of that network": lambda d: d["network"].update(fixed="public", subnet="nobodys"),
}


@pytest.mark.parametrize("what", MISSING)
def test_what_is_not_there_is_named(cloud_home, tmp_path, what):
    lost = Way(home=cloud_home, folder=tmp_path, name="lost")
    lost.save(MISSING[what])
    done = lost.playbook()
    assert done.returncode == 2
    assert f"the cloud has no {what}" in said(done)
    assert lost.held() == {"cluster": None, "template": None, "groups": {}}


def test_a_cluster_of_the_same_name_from_another_template_is_left_alone(hand):
    other = Way(home=hand.home, folder=hand.folder, name="other")
    made = other.cloud.container_infrastructure_management.create_cluster(
        name="other",
        cluster_template_id=hand.held()["template"]["id"],
        keypair="magflow",
        flavor_id="bm.cpu",
        master_flavor_id="bm.tiny",
        master_count=1,
        node_count=1,
    )
    done = other.playbook()
    assert done.returncode == 2
    assert "is made from another template" in said(done)
    assert (other.held()["template"], other.held()["cluster"]["uuid"]) == (None, made.id)
    assert changed(other.playbook("-e", "magnum_cluster_state=absent")) == 1


def test_the_same_role_takes_it_away_and_nothing_is_left(hand):
    absent = ("-e", "magnum_cluster_state=absent")
    stack = hand.held()["cluster"]["stack_id"]
    assert changed(hand.playbook(*absent, "--check")) > 0
    assert hand.held()["cluster"]["status"] == "CREATE_COMPLETE"
    assert changed(hand.playbook(*absent)) > 0
    assert hand.held() == {"cluster": None, "template": None, "groups": {}}
    cloud = hand.cloud
    left = [*cloud.network.ports(), *cloud.network.routers(), *cloud.network.security_groups(), *cloud.network.ips()]
    assert [item.name for item in left if stack in str(item.to_dict())] == []
    assert not (hand.run / "facts.json").exists() and not (hand.run / "kubeconfig").exists()
    assert changed(hand.playbook(*absent)) == 0
