"""Diagnosis on the sandbox cloud: its faults, and what is said of each; clusters are made by Magnum's API alone."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from tests.sandbox.conftest import sandbox
from tests.sandbox.suite import Suite

from magflow.cloud import connection, magnum
from magflow.settings import Cloud


class Bench:
    """One environment and its cluster in Magnum; faults are set for that cluster alone."""

    def __init__(self, home, folder, name: str, create_timeout: int = 10) -> None:
        self.home = home
        self.suite = Suite(home=home, folder=folder, name=name)
        self.suite.save(lambda d: d["cluster"].update(create_timeout=create_timeout))
        self.cloud = connection.connect(Cloud(name="sandbox", clouds_file=home / "clouds.yaml"))
        self.magnum = self.cloud.container_infrastructure_management
        self.name, self.create_timeout = name, create_timeout
        self.id = ""

    def fault(self, kind: str, *options: str) -> None:
        done = sandbox(self.home, "fault", "set", kind, "--cluster", self.name, *options)
        assert done.returncode == 0, done.stdout + done.stderr

    def clear(self) -> None:
        done = sandbox(self.home, "fault", "clear")
        assert done.returncode == 0, done.stdout + done.stderr

    def create(self, workers: int = 1) -> None:
        template = next((t for t in self.magnum.cluster_templates() if t.name == self.name), None)
        template = template or self.magnum.create_cluster_template(
            name=self.name, coe="kubernetes", image_id="ubuntu-jammy-kube-v1.36.3", external_network_id="public",
            flavor_id="bm.cpu", master_flavor_id="bm.control", keypair_id="magflow", network_driver="calico",
        )  # fmt: skip
        made = self.magnum.create_cluster(
            name=self.name, cluster_template_id=template.id, master_count=1, node_count=workers,
            create_timeout=self.create_timeout,
        )  # fmt: skip
        self.id = made.id

    def delete(self) -> None:
        self.magnum.delete_cluster(self.id)

    def shown(self) -> dict[str, Any] | None:
        return magnum.show(self.cloud, self.id)

    def until(self, what, within: float = 120.0) -> Any:
        """Waits until a look at the cluster is true."""
        deadline = time.monotonic() + within
        while not (found := what()):
            assert time.monotonic() < deadline, f"{self.shown()}"
            time.sleep(1)
        return found

    def status(self, status: str) -> bool:
        return ((self.shown() or {}).get("status") or "") == status

    def diagnose(self, exit: int, *words: str) -> dict[str, Any]:
        done = self.suite.magflow("diagnose", str(self.suite.file), "cluster", "--json", *words)
        assert done.returncode == exit, done.stdout + done.stderr
        (found,) = json.loads(done.stdout)["clusters"]
        return found

    def report(self, *words: str) -> tuple[int, dict[str, Any]]:
        done = self.suite.magflow("diagnose", str(self.suite.file), "cluster", "--json", *words)
        return done.returncode, json.loads(done.stdout)["clusters"][0]

    def management(self) -> tuple[str, str]:
        return "--management-kubeconfig", str(self.home / "etc" / "management.kubeconfig")

    def gone(self) -> None:
        """Takes faults and cluster away again."""
        self.clear()
        if self.id and self.shown():
            if not str((self.shown() or {}).get("status")).startswith("DELETE"):
                self.delete()
            self.until(lambda: self.shown() is None)
        for template in self.magnum.cluster_templates():
            if template.name == self.name:
                self.magnum.delete_cluster_template(template)


@pytest.fixture
def bench(cloud_home, tmp_path):
    made = []

    def make(name, **options):
        made.append(Bench(cloud_home, tmp_path, name, **options))
        return made[-1]

    yield make
    for each in made:
        each.gone()


def causes(found):
    return [cause["code"] for cause in found["causes"]]


def evidence(found):
    return "\n".join(line for cause in found["causes"] for line in cause["evidence"])


def steps(found):
    return "\n".join(step for cause in found["causes"] for step in cause["do"])


def test_from_nothing_over_at_work_to_complete_and_gone(bench):
    b = bench("whole")
    assert b.diagnose(2)["verdict"] == "NOT_FOUND"
    b.create()
    found = b.diagnose(2)
    assert found["verdict"] == "IN_PROGRESS"
    assert any(line.endswith("create_timeout 10 min") for line in found["evidence"])
    b.until(lambda: b.status("CREATE_COMPLETE"))
    found = b.diagnose(0, *b.management())
    assert found["verdict"] == "COMPLETE"
    assert "nodes: 2 of 2 Ready, 2 asked" in found["evidence"]
    assert {item["kind"] for item in found["seen"]["objects"]} >= {"Cluster", "KubeadmControlPlane", "Machine"}
    # what the driver made is known as the cluster's own
    assert len(found["seen"]["security_groups"]) == 2
    assert all(port["ours"] for port in found["seen"]["ports"] if not port["owner"].startswith("network:"))


def test_while_it_grows_it_is_at_work_and_what_holds_it_up_is_told(bench):
    b = bench("grows")
    b.create()
    b.until(lambda: b.status("CREATE_COMPLETE"))
    b.fault("machine-failed", "--reason", "quota", "--group", "default-worker")
    headers = {"OpenStack-API-Version": "container-infra 1.9"}
    answer = b.magnum.post(f"/clusters/{b.id}/actions/resize", json={"node_count": 3}, headers=headers)
    assert answer.status_code == 202, answer.text
    # the driver may call the resize complete before Cluster API has begun it: then the nodes are missing
    held = b.until(lambda: (d := b.report(*b.management()))[0] == 1 and d)[1]
    assert held["verdict"] in {"UPDATE_BLOCKED", "NODE_MISSING"}
    assert causes(held)[0] == "QUOTA"
    b.clear()
    whole = b.until(lambda: (d := b.report())[0] == 0 and d)[1]
    assert "nodes: 4 of 4 Ready, 4 asked" in whole["evidence"]


def test_a_usable_cluster_past_its_time_has_a_stale_status(bench):
    b = bench("stale", create_timeout=1)
    b.fault("stuck", "--at", "status")
    b.create()
    b.until(lambda: (b.shown() or {}).get("api_address"))
    assert b.diagnose(2)["verdict"] == "IN_PROGRESS"
    found = b.until(lambda: (d := b.suite.magflow("diagnose", str(b.suite.file), "--json")).returncode == 1 and d)
    (found,) = json.loads(found.stdout)["clusters"]
    assert (found["verdict"], causes(found)[0]) == ("STATUS_STALE", "STATUS_STALE")
    said = "\n".join(found["causes"][0]["evidence"])
    assert "create_timeout 1 min" in said
    assert "healthz ok" in said
    assert "nodes: 2 of 2 Ready" in said


@pytest.mark.parametrize(
    ("reason", "code"),
    [("no-valid-host", "NO_VALID_HOST"), ("quota", "QUOTA"), ("port-binding", "PORT_BINDING"), ("trust", "TRUST")],
)
def test_a_failed_creation_has_its_cause(bench, reason, code):
    b = bench(f"failed-{reason}")
    b.fault("create-failed", "--reason", reason)
    b.create()
    b.until(lambda: b.status("CREATE_FAILED"))
    found = b.diagnose(1)
    assert (found["verdict"], causes(found)[0]) == ("CREATE_FAILED", code)
    assert (b.shown() or {})["status_reason"].split("\n")[0] in evidence(found)


def test_a_machine_that_cannot_be_made_is_seen_before_the_time_is_over(bench):
    b = bench("machine")
    b.fault("machine-failed", "--reason", "no-flavor", "--group", "default-worker")
    b.create()

    def blocked():
        done = b.suite.magflow("diagnose", str(b.suite.file), "--json", *b.management())
        return done if done.returncode == 1 else None

    (found,) = json.loads(b.until(blocked).stdout)["clusters"]
    assert (found["verdict"], causes(found)[0]) == ("CREATE_BLOCKED", "FLAVOR")
    assert "Machine machine-" in evidence(found)


def test_nodes_that_are_not_ready_or_missing_are_named(bench):
    b = bench("nodes")
    b.create(workers=2)
    b.until(lambda: b.status("CREATE_COMPLETE"))
    b.fault("node-not-ready", "--group", "default-worker", "--count", "1", "--how", "not-ready")

    def wrong():
        done = b.suite.magflow("diagnose", str(b.suite.file), "--json")
        return done if done.returncode == 1 else None

    (found,) = json.loads(b.until(wrong).stdout)["clusters"]
    assert found["verdict"] == "NODE_NOT_READY"
    assert "kubectl describe node nodes-" in steps(found)
    b.clear()
    b.until(lambda: b.suite.magflow("diagnose", str(b.suite.file)).returncode == 0)


def foreign_ports(found):
    ports = found["seen"]["ports"]
    return [port for port in ports if not port["ours"] and not port["owner"].startswith("network:")]


@pytest.mark.parametrize(("by", "code"), [("security-group", "SECURITY_GROUP_IN_USE"), ("network", "NETWORK_IN_USE")])
def test_a_blocked_deletion_names_ports_and_what_they_hold_and_deletes_nothing(bench, by, code):
    b = bench(f"blocked-{by}")
    b.create()
    b.until(lambda: b.status("CREATE_COMPLETE"))
    b.fault("delete-blocked", "--by", by)
    b.delete()
    b.until(lambda: b.status("DELETE_IN_PROGRESS"))

    def blocked():
        done = b.suite.magflow("diagnose", str(b.suite.file), "--json", *b.management())
        (found,) = json.loads(done.stdout)["clusters"]
        # both are made one after the other, and a look may fall between
        return found if done.returncode == 1 and len(foreign_ports(found)) == 2 else None

    found = b.until(blocked)
    assert found["verdict"] == "DELETE_BLOCKED"
    assert code in causes(found)
    foreign = foreign_ports(found)
    for port in foreign:
        assert port["id"] in evidence(found)
        assert port["id"] in steps(found)
        assert b.cloud.network.find_port(port["id"]) is not None
    places = found["seen"]["security_groups" if by == "security-group" else "networks"]
    assert any(place["id"] in evidence(found) for place in places)


def test_a_deletion_held_by_a_finalizer_is_told_when_its_time_is_over(bench):
    from magflow.checks.diagnosis import diagnose
    from magflow.cloud.evidence import Evidence

    b = bench("finalizer")
    b.create()
    b.until(lambda: b.status("CREATE_COMPLETE"))
    b.fault("delete-blocked", "--by", "finalizer")
    b.delete()
    held = lambda: [item for item in b.diagnose(2, *b.management())["seen"]["objects"] if item["deleting"]]  # noqa: E731
    b.until(held)
    seen = b.diagnose(2, *b.management())["seen"]
    # half an hour is not waited for: the same evidence, judged with a shorter time
    found = diagnose(Evidence(**seen), delete_within=0.0)
    assert found.verdict == "DELETE_BLOCKED"
    assert "FINALIZERS" in [cause.code for cause in found.causes]


def test_a_service_that_answers_with_errors_is_told_and_never_a_traceback(bench):
    b = bench("broken")
    b.create()
    done = sandbox(b.home, "fault", "set", "api", "--service", "neutron", "--answer", "503", "--path", "/v2.0/ports*")
    assert done.returncode == 0, done.stdout + done.stderr
    found = b.diagnose(2)
    assert any(line.startswith("Neutron") for line in found["unseen"])
    done = sandbox(b.home, "fault", "set", "api", "--service", "magnum", "--answer", "503")
    assert done.returncode == 0, done.stdout + done.stderr
    done = b.suite.magflow("diagnose", str(b.suite.file))
    assert done.returncode in {1, 2}
    assert "503" in done.stderr
