"""What a pool's words become, and which taints stay."""

from magflow.kube.node_pools import Pool, _taints


def live(*taints):
    return {"spec": {"taints": list(taints)}}


def taint(key, value="", effect="NoSchedule", **more):
    return {"key": key, "effect": effect} | ({"value": value} if value else {}) | more


def test_gpu_labels_only_where_there_are_gpus():
    gpu = {"nvidia.com/gpu.present": "true"}
    assert Pool.of({"count": 1, "gpus": 4, "labels": {"a": 1}}, gpu).labels == {"a": "1", **gpu}
    assert Pool.of({"count": 1}, gpu).labels == {}


def test_the_settings_own_word_wins():
    pool = Pool.of({"gpus": 1, "labels": {"nvidia.com/gpu.present": "no"}}, {"nvidia.com/gpu.present": "true"})
    assert pool.labels == {"nvidia.com/gpu.present": "no"}


def test_foreign_taints_stay_as_they_are():
    foreign = taint("node.kubernetes.io/unreachable", effect="NoExecute", timeAdded="2026-11-01T00:00:00Z")
    pool = Pool(taints=[taint("gpu", "yes")])
    assert _taints(live(foreign), pool, set()) == [foreign, taint("gpu", "yes")]


def test_a_value_is_mended_in_place():
    pool = Pool(taints=[taint("gpu", "yes")])
    assert _taints(live(taint("gpu", "no"), taint("x")), pool, set()) == [taint("gpu", "yes"), taint("x")]


def test_what_was_ours_and_is_asked_for_no_longer_goes():
    assert _taints(live(taint("gpu"), taint("x")), Pool(), {"gpu"}) == [taint("x")]


def test_an_effect_that_changes_is_no_second_taint():
    pool = Pool(taints=[taint("gpu", effect="NoExecute")])
    assert _taints(live(taint("gpu")), pool, {"gpu"}) == [taint("gpu", effect="NoExecute")]
