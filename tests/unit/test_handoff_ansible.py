"""Settings in the words of openstack.cloud's modules, and what these cannot say."""

from types import SimpleNamespace

import pytest

from magflow import handoff_ansible, settings_file
from magflow.errors import MagflowError
from magflow.handoff import terraform_vars
from magflow.handoff_ansible import ansible_cluster_vars, cluster_warnings, limits
from magflow.rules import labels


@pytest.fixture
def plain(changed):
    """Settings that the Ansible way can make, with one more change."""

    def load(change=lambda _data: None):
        def all_changes(data):
            data["node_groups"].pop("gpu")
            change(data)

        return settings_file.load(changed(all_changes)).settings

    return load


def test_variables_say_what_terraforms_say(plain):
    settings = plain(lambda d: d["cluster"].update(extra_labels={"kube_dashboard_enabled": "false"}))
    given, stack = ansible_cluster_vars(settings), terraform_vars(settings)
    (template,) = stack["templates"].values()
    (cluster,) = stack["clusters"].values()
    assert given["magnum_cluster_labels"] == template["labels"]
    assert given["magnum_cluster_image"] == template["image"]
    assert given["magnum_cluster_network"] == {"external": stack["network"]["external"]}
    assert given["magnum_cluster_control_plane"] == cluster["control_plane"]
    assert given["magnum_cluster_workers"] == cluster["workers"]
    assert given["magnum_cluster_create_timeout"] == cluster["create_timeout"]
    assert given["magnum_cluster_keypair"] == stack["keypair"]["name"]
    assert given["magnum_cluster_clouds_file"].endswith("/.sandbox/clouds.yaml")


def test_what_the_settings_leave_open_is_as_the_stack_has_it(plain):
    given = ansible_cluster_vars(plain())["magnum_cluster_template"]
    open_ones = ("is_floating_ip_enabled", "is_master_lb_enabled", "server_type", "network_driver")
    assert {name: given[name] for name in open_ones} == {
        "is_floating_ip_enabled": False,
        "is_master_lb_enabled": False,
        "server_type": "vm",
        "network_driver": "calico",
    }
    three = plain(lambda d: d["cluster"]["control_plane"].update(count=3))
    assert ansible_cluster_vars(three)["magnum_cluster_template"]["is_master_lb_enabled"] is True


def test_own_labels_and_a_network_that_is_there_are_handed_on(plain):
    def change(data):
        data["network"].update(fixed="provision-net", subnet="provision-subnet")
        data["cluster"].update(own_labels={"octavia_provider": "ovn"})

    given = ansible_cluster_vars(plain(change))
    assert given["magnum_cluster_network"] == {
        "external": "public",
        "fixed": "provision-net",
        "subnet": "provision-subnet",
    }
    assert given["magnum_cluster_own_labels"] == {"octavia_provider": "ovn"}


CANNOT = {
    "node_groups.more": lambda d: d["node_groups"].update(more={"flavor": "bm.cpu", "count": 1}),
    "clusters.second": lambda d: d.update(clusters={"second": {}}),
    "cluster.merge_labels": lambda d: d["cluster"].update(own_labels={"octavia_provider": "ovn"}, merge_labels=True),
    "public_key": lambda d: d.update(public_key="id.pub"),
    "network.cidr": lambda d: d["network"].update(cidr="10.0.0.0/24"),
    "network.driver": lambda d: d["network"].update(driver="cilium"),
    "ingress.allowed_cidrs": lambda d: d.setdefault("ingress", {}).update(allowed_cidrs=["192.0.2.0/24"]),
}


@pytest.mark.parametrize("key", CANNOT)
def test_what_the_modules_cannot_do_is_named_by_its_key(plain, key):
    with pytest.raises(MagflowError, match="the Ansible way cannot make this cluster") as caught:
        ansible_cluster_vars(plain(CANNOT[key]))
    assert f"{key}: " in str(caught.value)
    assert caught.value.code == "ANSIBLE_WAY_CANNOT"


def test_all_of_it_is_told_at_once(plain):
    def change(data):
        CANNOT["public_key"](data)
        CANNOT["network.cidr"](data)

    with pytest.raises(MagflowError) as caught:
        ansible_cluster_vars(plain(change))
    assert "public_key: " in str(caught.value) and "network.cidr: " in str(caught.value)


def test_what_they_can_do_is_not_a_finding(plain):
    settings = plain()
    assert limits(settings, labels.compile(settings)) == []


@pytest.mark.parametrize(
    ("attributes", "path", "words"),
    [
        ({"hidden": True}, "cluster", "does not know hidden"),
        ({"docker_storage_driver": "vfs"}, "cluster (docker_storage_driver)", "takes devicemapper, overlay, overlay2"),
    ],
)
def test_an_attribute_that_the_module_lacks_is_never_dropped_in_silence(plain, attributes, path, words):
    found = limits(plain(), SimpleNamespace(attributes=attributes))
    assert [(item.path, words in item.message) for item in found] == [(path, True)]


def test_every_attribute_has_a_word():
    assert set(handoff_ansible.CHOICES) <= set(handoff_ansible.TEMPLATE_WORDS.values())


def test_the_articles_cluster_can_be_made_so():
    given = ansible_cluster_vars(settings_file.load("stein").settings)
    assert given["magnum_cluster_labels"]["tiller_tag"] == "v2.14.3"
    assert (given["magnum_cluster_template"]["docker_storage_driver"], given["magnum_cluster_own_labels"]) == (
        "overlay2",
        {},
    )


def test_what_the_driver_leaves_to_us_is_told(plain):
    def change(data):
        data["cluster"].update(tiller={"version": "v2.14.3"})

    assert cluster_warnings(plain()) == []
    assert any(words.startswith("cluster.tiller") for words in cluster_warnings(plain(change)))
