"""The facts of the stack: all clusters, the environment's first one by itself."""

import pytest

from magflow.errors import MagflowError
from magflow.facts import Facts

GROUP = {"id": "g", "role": "worker", "flavor": "bm.cpu", "gpus": 0, "count": 1}


def output(*names):
    cluster = {
        "api_address": "https://203.0.113.7:6443",
        "kubernetes": "v1.36.3",
        "template_id": "t",
        "image_id": "i",
        "labels_sent": {"monitoring_enabled": "true"},
        "node_groups": {"default-worker": GROUP},
    }
    clusters = {name: cluster | {"id": f"id-of-{name}", "name": name} for name in names}
    return {"clusters": clusters, "network": {"external": "e", "fixed": None, "subnet": None}}


def test_the_first_cluster_is_the_one_that_is_named():
    facts = Facts.parse(output("one", "two"), "here", main="two")
    assert facts.cluster.id == "id-of-two"
    assert facts.node_groups.keys() == {"default-worker"}
    assert (facts.template_id, facts.image_id, facts.labels_sent) == ("t", "i", {"monitoring_enabled": "true"})


def test_what_was_kept_is_read_again():
    facts = Facts.parse(output("one", "two"), "here", main="two")
    assert Facts.parse(facts.model_dump(mode="json"), "facts.json") == facts


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (output("one"), "no cluster 'demo' among one"),
        (None, "valid dictionary"),
        (output("demo") | {"secret": 1}, "secret"),
    ],
)
def test_what_does_not_fit_is_told(data, words):
    with pytest.raises(MagflowError, match=words) as error:
        Facts.parse(data, "output `facts`", main="demo")
    assert error.value.where == "output `facts`"
