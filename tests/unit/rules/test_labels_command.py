"""`magflow labels`: what is printed, and how it ends."""

import json

import pytest
from tests.unit.rules.test_labels import ARTICLE
from typer.testing import CliRunner

from magflow.cli import app
from magflow.errors import CannotTell


def labels(*words):
    return CliRunner().invoke(app, ["labels", *words])


def test_the_articles_labels_each_with_its_reason_on_a_line():
    done = labels("stein")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "k8s  heat, Magnum 8.1.0 (Stein): cloud.driver is heat"
    shown = {line.split()[0]: line.split()[1] for line in lines if line.startswith("  ") and ".py" in line}
    assert shown == ARTICLE
    (traefik,) = [line for line in lines if "ingress_controller" in line]
    assert "ingress.controller is traefik" in traefik
    assert traefik.rstrip().endswith("magnum/drivers/heat/k8s_template_def.py")
    assert "  template: network_driver flannel, server_type vm" in done.stdout


def test_json_is_alone_and_complete():
    data = json.loads(labels("stein", "--json").stdout)
    assert (data["env"], data["exit_code"]) == ("stein", 0)
    cluster = data["clusters"]["k8s"]
    assert cluster["effective"] == ARTICLE
    assert {label["key"]: label["value"] for label in cluster["labels"]} == ARTICLE
    assert all(label["reason"] and label["source"] and label["path"] for label in cluster["labels"])


def test_what_the_driver_leaves_is_told_and_a_warning_is_no_failure(changed):
    done = labels(changed(lambda d: d.update(ingress={"controller": "traefik"})))
    assert done.exit_code == 0
    assert "not by the driver: labels and taints of nodes: no driver hands node_labels" in done.stdout
    assert done.stdout.count("ingress controller traefik") == 1
    assert "warning ingress.controller: ingress controller traefik: ingress_controller is not read by" in done.stdout


def test_an_error_ends_with_1(changed):
    done = labels(changed(lambda d: d["cluster"].update(extra_labels={"ingres_controller": "traefik"})))
    assert done.exit_code == 1
    assert "error cluster.extra_labels.ingres_controller" in done.stdout
    assert "do: write ingress_controller" in done.stdout


def test_merged_labels_are_shown_as_the_union(changed):
    def merged(data):
        data["cloud"] |= {"driver": "cluster-api"}
        data["cluster"] |= {"own_labels": {"auto_healing_enabled": "true"}, "merge_labels": True}

    done = labels(changed(merged), "--json")
    assert done.exit_code == 0
    (cluster,) = json.loads(done.stdout)["clusters"].values()
    assert cluster["effective"] == {"auto_healing_enabled": "true", "kube_tag": "v1.36.3"}
    both = [label for label in cluster["labels"] if label["key"] == "auto_healing_enabled"]
    assert [(label["of"], label["effective"]) for label in both] == [("template", False), ("cluster", True)]
    shown = [line for line in labels(changed(merged)).stdout.splitlines() if "auto_healing_enabled" in line]
    assert len(shown) == 1
    assert "true" in shown[0]


def test_lost_labels_are_not_shown_as_if_they_were_sent(changed):
    def lost(data):
        data["cloud"] |= {"driver": "cluster-api"}
        data["cluster"] |= {"own_labels": {"octavia_provider": "ovn"}}

    done = labels(changed(lost))
    assert done.exit_code == 1
    assert "auto_healing_enabled, kube_tag would be lost" in done.stdout
    assert not [line for line in done.stdout.splitlines() if line.startswith("  kube_tag")]


def test_one_cluster_alone(changed):
    file = changed(lambda d: d.update(clusters={"second": {"extra_labels": {"kube_dashboard_enabled": "false"}}}))
    both, one = labels(file, "--json"), labels(file, "--cluster", "second", "--json")
    assert list(json.loads(both.stdout)["clusters"]) == ["demo", "second"]
    assert list(json.loads(one.stdout)["clusters"]) == ["second"]
    done = labels(file, "--cluster", "third")
    assert isinstance(done.exception, CannotTell)
    assert done.exception.hint == "known ones: demo, second"


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_secret_is_not_shown(changed, words):
    def secret(data):
        data["cloud"] |= {"driver": "heat", "magnum_release": "22"}
        data["cluster"] |= {"extra_labels": {"grafana_admin_passwd": "hunter2"}}

    done = labels(changed(secret), *words)
    assert "grafana_admin_passwd" in done.stdout
    assert "hunter2" not in done.stdout
