"""Labels that are given as they are: each mistake is one finding with its key path, and a good one is none."""

import pytest
from tests.unit.rules.test_labels import CLOUDS, codes, compiled

from magflow.findings import errors
from magflow.rules.labels.table import DRIVERS, drivers, node_fields, table


def given(cloud, extra, /, **parts):
    cluster = parts.pop("cluster", {}) | {"extra_labels": extra}
    return compiled(cloud, cluster=cluster, **parts)


AT = "cluster.extra_labels"


@pytest.mark.parametrize(
    ("cloud", "labels", "code", "severity", "said"),
    [
        ("heat", {"ingres_controller": "traefik"}, "LABEL_UNKNOWN", "error", "did you mean 'ingress_controller'?"),
        (
            "capi-helm",
            {"autohealing_enabled": "true"},
            "LABEL_UNKNOWN",
            "error",
            "did you mean 'auto_healing_enabled'?",
        ),
        ("heat", {"zzz": "1"}, "LABEL_UNKNOWN", "error", "no driver of Magnum reads a label 'zzz'"),
        ("heat", {"tiller_enabled": "true"}, "LABEL_INERT", "warning", "removed in 18.0.0"),
        ("heat", {"calico_cni_tag": "v1"}, "LABEL_INERT", "warning", "removed in 9.0.0"),
        ("heat", {"calico_kube_controllers_tag": "v1"}, "LABEL_INERT", "warning", "removed in 19.0.0"),
        ("capi-helm", {"tiller_tag": "v2.14.3"}, "LABEL_INERT", "warning", "removed in 18.0.0"),
        ("heat", {"mesos_slave_isolation": "x"}, "LABEL_INERT", "warning", "dropped in 16.0.0"),
        ("cluster-api", {"audit_log_maxage": "7"}, "LABEL_INERT", "warning", "the code reads audit_log_max_age"),
        ("heat", {"prometheus_monitoring": "true"}, "LABEL_DEPRECATED", "warning", "monitoring_enabled"),
        ("heat", {"heapster_enabled": "true"}, "LABEL_DEPRECATED", "warning", "metrics_server_enabled"),
        ("capi-helm", {"etcd_volume_size": "8"}, "LABEL_DEPRECATED", "warning", "etcd_blockdevice_size"),
        ("capi-helm", {"ingress_controller": "traefik"}, "LABEL_IGNORED", "warning", "not read by magnum-capi-helm"),
        ("capi-helm", {"kube_tag": "v1.34.1"}, "LABEL_IGNORED", "warning", "not read by magnum-capi-helm"),
        ("cluster-api", {"monitoring_enabled": "true"}, "LABEL_IGNORED", "warning", "not read by magnum-cluster-api"),
        (
            "heat",
            {"capi_helm_chart_version": "0.10.1"},
            "LABEL_IGNORED",
            "warning",
            "not read by Magnum's driver on Heat",
        ),
        ("heat", {"ostree_commit": "a"}, "LABEL_IGNORED", "warning", "no effect on fedora-coreos"),
        ("stein", {"auto_healing_controller": "draino"}, "LABEL_TOO_NEW", "error", "came with Magnum 9.0.0"),
        ("rocky", {"monitoring_enabled": "true"}, "LABEL_TOO_NEW", "error", "the cloud has 7.2.0 (Rocky)"),
        ("heat", {"auto_healing_enabled": "yes"}, "LABEL_TYPE", "error", "know true and false alone"),
        ("heat", {"auto_healing_enabled": "maybe"}, "LABEL_TYPE", "error", "true or false is wanted"),
        ("cluster-api", {"keystone_auth_enabled": "maybe"}, "LABEL_TYPE", "error", "true or false is wanted"),
        ("heat", {"min_node_count": "x"}, "LABEL_TYPE", "error", "a whole number is wanted"),
        ("capi-helm", {"boot_volume_size": "40G"}, "LABEL_TYPE", "error", "a whole number is wanted"),
        ("heat", {"calico_ipv4pool": "10.0.0.0"}, None, None, ""),
        ("heat", {"calico_ipv4pool": "10.0.0.300/16"}, "LABEL_TYPE", "error", "a range is written like 10.0.0.0/24"),
        ("heat", {"master_lb_allowed_cidrs": "10.0.0.0/8,x"}, "LABEL_TYPE", "error", "a range is written like"),
        ("heat", {"calico_tag": "v3 26"}, "LABEL_TYPE", "error", "a tag of an image is wanted"),
        ("heat", {"ingress_controller": "haproxy"}, "LABEL_VALUE", "error", "known are traefik, nginx, octavia"),
        ("heat", {"selinux_mode": "off"}, "LABEL_VALUE", "error", "known are enforcing, permissive, disabled"),
        ("heat", {"container_infra_prefix": "r.example.org"}, "LABEL_VALUE", "error", "With a slash at its end"),
        ("heat", {"container_infra_prefix": "r.example.org/x"}, "LABEL_VALUE", "error", "With a slash at its end"),
        ("cluster-api", {"container_infra_prefix": "r.example.org/"}, "LABEL_VALUE", "error", "Without a slash"),
        ("capi-helm", {"octavia_provider": "ovn;x"}, "LABEL_VALUE", "error", "would read 'ovnx'"),
    ],
)
def test_a_mistake_is_one_finding(cloud, labels, code, severity, said):
    result = given(cloud, labels)
    if code is None:
        assert result.findings == ()
        return
    (finding,) = result.findings
    (key,) = labels
    assert (finding.code, finding.path, finding.severity) == (code, f"{AT}.{key}", severity)
    assert said in finding.message
    assert finding.hint
    # they are passed on as they are all the same
    assert result.template[key] == labels[key]


@pytest.mark.parametrize(
    ("cloud", "labels"),
    [
        ("stein", {"tiller_enabled": "true", "tiller_namespace": "magnum-tiller"}),
        ("rocky", {"prometheus_monitoring": "true"}),
        ("heat", {"auto_healing_enabled": "True", "auto_scaling_enabled": "false"}),
        ("heat", {"ingress_controller": "Octavia", "container_infra_prefix": "r.example.org/"}),
        ("heat", {"calico_ipv4pool_ipip": "Off", "etcd_tag": "", "kubelet_options": "--a=b --c"}),
        ("capi-helm", {"monitoring_enabled": "yes", "etcd_blockdevice_size": "8"}),
        (
            "capi-helm",
            {"capi_helm_chart_version": "0.10.1+a", "api_master_lb_allowed_cidrs": "10.0.0.0/8,2001:db8::/32"},
        ),
        ("cluster-api", {"audit_log_max_age": "7", "keystone_auth_enabled": "off", "container_infra_prefix": "r/x"}),
    ],
)
def test_good_labels_are_no_finding(cloud, labels):
    assert given(cloud, labels).findings == ()


def test_labels_of_tillers_time():
    """Openstack/magnum, release note drop-tiller (18.0.0)."""
    assert codes(given("heat", {"tiller_enabled": "true", "monitoring_enabled": "true"})) == [
        ("LABEL_INERT", f"{AT}.tiller_enabled", "warning")
    ]
    labels = {"tiller_enabled": "true", "prometheus_monitoring": "true", "ingres_controller": "traefik"}
    result = given("heat", labels)
    assert [finding.code for finding in result.findings] == ["LABEL_INERT", "LABEL_DEPRECATED", "LABEL_UNKNOWN"]
    assert [finding.path for finding in errors(result.findings)] == [f"{AT}.ingres_controller"]


@pytest.mark.parametrize(
    ("release", "label", "code"),
    [
        ("11.2.1", {"hyperkube_prefix": "k8s.gcr.io/"}, None),
        ("12.0.0", {"hyperkube_prefix": "k8s.gcr.io/"}, "LABEL_TOO_NEW"),
        ("12.1.1", {"hyperkube_prefix": "k8s.gcr.io/"}, None),
        ("9.4.1", {"heapster_enabled": "true"}, None),
        ("10.0.0", {"heapster_enabled": "true"}, "LABEL_DEPRECATED"),
        ("17", {"tiller_enabled": "true"}, None),
        ("18.0.0", {"tiller_enabled": "true"}, "LABEL_INERT"),
    ],
)
def test_the_release_decides(release, label, code):
    result = given("heat", label, cloud={"driver": "heat", "magnum_release": release})
    assert [finding.code for finding in result.findings] == ([code] if code else [])


def test_a_stack_that_has_no_such_parameter_refuses_the_label():
    labels = {"octavia_provider": "ovn"}
    atomic = given(
        "heat", labels, cloud={"driver": "heat", "magnum_release": "17"}, image={"os_distro": "fedora-atomic"}
    )
    assert codes(atomic) == [("LABEL_REFUSED", f"{AT}.octavia_provider", "error")]
    assert given("heat", labels).findings == ()
    bare = given(
        "heat",
        {"ingress_controller": "traefik", "kube_dashboard_enabled": "true"},
        cloud={"driver": "heat", "magnum_release": "17"},
        image={"os_distro": "fedora"},
        cluster={"server_type": "bm"},
    )
    assert codes(bare) == [("LABEL_REFUSED", f"{AT}.ingress_controller", "error")]


def test_a_label_that_the_settings_ask_for_too():
    clash = given("heat", {"ingress_controller": "octavia"}, ingress={"controller": "nginx"})
    assert codes(clash) == [("LABEL_CONFLICT", f"{AT}.ingress_controller", "error")]
    assert "'octavia' here, and ingress.controller asks for 'nginx'" in clash.findings[0].message
    assert given("heat", {"ingress_controller": "nginx"}, ingress={"controller": "nginx"}).findings == ()


class TestOwnLabels:
    """Magnum takes the cluster's own labels in place of the template's (magnum-cluster-api issue 449)."""

    def own(self, cloud, own, merge=False, extra=None):
        cluster = {"own_labels": own, "merge_labels": merge, "kubernetes": "v1.28.9-rancher1"}
        return compiled(cloud, cluster=cluster | {"extra_labels": extra or {}}, ingress={"controller": "octavia"})

    def test_those_of_the_template_would_be_lost(self):
        result = self.own("heat", {"npd_enabled": "true"})
        assert codes(result) == [("LABELS_REPLACED", "cluster.own_labels", "error")]
        assert ": ingress_controller, kube_tag would be lost" in result.findings[0].message
        assert result.effective == {"npd_enabled": "true"}
        assert (result.own, result.merge) == ({"npd_enabled": "true"}, False)

    def test_merged_they_are_the_union_and_the_clusters_win(self):
        result = self.own("heat", {"npd_enabled": "true", "ingress_controller": "traefik"}, merge=True)
        assert result.findings == ()
        assert result.effective == {
            "ingress_controller": "traefik",
            "kube_tag": "v1.28.9-rancher1",
            "npd_enabled": "true",
        }
        assert result.merge is True

    def test_nothing_is_lost_when_all_are_repeated(self):
        own = {"ingress_controller": "octavia", "kube_tag": "v1.28.9-rancher1", "npd_enabled": "true"}
        assert self.own("heat", own).findings == ()

    def test_none_are_none(self):
        for own in (None, {}):
            result = self.own("heat", own)
            assert (result.findings, result.own, result.effective) == ((), None, result.template)

    def test_merging_is_younger_than_some_releases(self):
        cluster = {"own_labels": {"npd_enabled": "true"}, "merge_labels": True}
        train = CLOUDS["stein"] | {"cloud": {"driver": "heat", "magnum_release": "10.0.0"}, "cluster": cluster}
        assert codes(compiled("stein", **train)) == [("LABEL_TOO_NEW", "cluster.merge_labels", "error")]
        train["cloud"]["magnum_release"] = "10.1.0"
        assert codes(compiled("stein", **train)) == []

    def test_capi_helm_reads_the_templates_too(self):
        result = compiled("capi-helm", cluster={"own_labels": {"monitoring_enabled": "true"}})
        assert result.findings == ()
        assert result.effective == {"auto_healing_enabled": "false", "monitoring_enabled": "true"}

    def test_capi_helm_merges_by_itself(self):
        # were Magnum to merge, the copy of the template's labels would hide the template
        cluster = {"own_labels": {"monitoring_enabled": "true"}, "merge_labels": True}
        result = compiled("capi-helm", cluster=cluster)
        assert (result.own, result.merge) == ({"monitoring_enabled": "true"}, False)

    def test_under_capi_helm_the_cluster_has_one_that_nobody_reads(self):
        result = compiled("capi-helm")
        assert (result.own, result.merge) == ({"managed_by": "magflow"}, False)
        assert result.effective == result.template | result.own
        assert result.findings == ()
        for cloud in ("heat", "cluster-api"):
            assert compiled(cloud).own is None

    def test_a_boot_volume_is_said_on_the_cluster_too(self):
        # Magnum's API looks for it there when a flavor has no disk
        result = compiled("capi-helm", cluster={"volumes": {"boot": {"size": 40}}})
        assert result.own == {"managed_by": "magflow", "boot_volume_size": "40"}

    def test_the_chart_version_is_read_from_the_template_alone(self):
        own = {"capi_helm_chart_version": "0.10.1"}
        at = "cluster.own_labels.capi_helm_chart_version"
        assert codes(compiled("capi-helm", cluster={"own_labels": own})) == [("LABEL_IGNORED", at, "warning")]

    def test_they_are_looked_at_as_well(self):
        result = self.own("cluster-api", {"kube_tagg": "v1"}, merge=True)
        assert ("LABEL_UNKNOWN", "cluster.own_labels.kube_tagg", "error") in codes(result)


def test_a_secret_is_in_no_finding():
    for cloud in CLOUDS:
        result = given(cloud, {"grafana_admin_passwd": "hunter:2"})
        assert "hunter" not in str([finding.as_dict() for finding in result.findings])


class TestTable:
    """The table itself."""

    def test_every_label_is_text_and_described(self):
        for key, spec in table().items():
            assert spec.about.endswith("."), key
            assert all(isinstance(value, str) for value in spec.values), key
            for reader in spec.readers.values():
                assert all(value is None or isinstance(value, str) for _, value in reader.default), key
                assert reader.source, key

    def test_a_label_is_read_by_a_driver_or_says_why_by_none(self):
        assert {key for key, spec in table().items() if bool(spec.readers) == bool(spec.unread)} == set()

    def test_successors_and_substitutes_are_labels(self):
        names = [spec.instead for spec in table().values()]
        names += [reader.successor for spec in table().values() for reader in spec.readers.values()]
        assert {name for name in names if name} <= set(table())

    def test_drivers_are_named(self):
        assert set(drivers()) == set(DRIVERS)

    def test_no_driver_hands_node_labels_on(self):
        assert {field.name: field.honoured_by for field in node_fields()} == {"node_labels": (), "node_taints": ()}
