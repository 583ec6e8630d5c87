"""The preflight checks on a real cloud, each in both directions where the sandbox can be made so."""

from __future__ import annotations

import copy
import datetime as dt
import json

import openstack
import pytest
import yaml
from tests.sandbox.suite import Suite, outcomes


@pytest.fixture
def suite(cloud_home, tmp_path):
    return Suite(home=cloud_home, folder=tmp_path)


def connection(home, cloud):
    config = openstack.config.OpenStackConfig(config_files=[str(home / "clouds.yaml")], load_envvars=False)
    return openstack.connection.Connection(config=config.get_one(cloud=cloud))


@pytest.fixture(scope="module")
def admin(cloud_home):
    return connection(cloud_home, "sandbox-admin")


@pytest.fixture(scope="module")
def demo(cloud_home):
    return connection(cloud_home, "sandbox")


def look(suite, **env):
    """Exit code, outcome of each check, and (code, path) of each error."""
    done = suite.magflow("check", str(suite.file), "--json", **env)
    report = json.loads(done.stdout)
    errors = [(found["code"], found["path"]) for found in report["findings"] if found["severity"] == "error"]
    return done.returncode, outcomes(report), errors, report


def evidence(report, check):
    return next(item["evidence"] for item in report["checks"] if item["id"] == check)


def message(report, code):
    return next(found["message"] for found in report["findings"] if found["code"] == code)


def warnings(report):
    return {found["code"] for found in report["findings"] if found["severity"] == "warning"}


def test_the_shipped_settings_pass_and_nothing_unseen_is_a_pass(suite, demo):
    code, seen, errors, report = look(suite)
    assert (code, errors) == (0, []), report
    assert demo.current_project_id in evidence(report, "cloud-accepts-credentials")
    skipped = {check for check, outcome in seen.items() if outcome == "skipped"}
    assert {"kubeconfig-lasts", "machines-are-free", "quota-of-cinder"} <= skipped
    assert evidence(report, "machines-are-free") == "the catalog has no placement service"
    for check in ("quota-of-nova", "quota-of-neutron", "flavors-fit", "roles-are-enough", "credential-lasts"):
        assert seen[check] == "ok", (check, evidence(report, check))


def test_quotas_that_are_too_small(suite, admin, demo):
    project = demo.current_project_id
    before = admin.compute.get_quota_set(project)
    ports = admin.network.get_quota(project).ports
    try:
        admin.compute.update_quota_set(project, instances=2)
        admin.network.update_quota(project, ports=1)
        code, _, errors, report = look(suite)
    finally:
        admin.compute.update_quota_set(project, instances=before.instances)
        admin.network.update_quota(project, ports=ports)
    assert code == 1
    assert errors == [("QUOTA_EXCEEDED", "quota.nova.instances"), ("QUOTA_EXCEEDED", "quota.neutron.port")], report
    assert message(report, "QUOTA_EXCEEDED") == "4 more instances are needed, 2 are left (0 of 2 used)"


def test_magnum_s_own_quota(suite, admin, demo):
    service, project = admin.container_infrastructure_management, demo.current_project_id
    body = {"project_id": project, "resource": "Cluster", "hard_limit": 1}
    made = service.post("/quotas", json=body)
    assert made.status_code < 300, made.text
    try:
        suite.save(lambda d: d.update(clusters={"second": {}}))
        code, _, errors, report = look(suite)
        assert (code, errors) == (1, [("QUOTA_EXCEEDED", "quota.magnum.clusters")]), report
        suite.save(lambda d: d.pop("clusters"))
        assert look(suite)[0] == 0
    finally:
        gone = service.delete(f"/quotas/{project}/Cluster")
        assert gone.status_code < 300, gone.text


@pytest.fixture
def flavor(admin):
    made = []

    def make(name, disk, specs=None):
        new = admin.compute.create_flavor(name=name, vcpus=4, ram=8192, disk=disk, is_public=True)
        made.append(new)
        if specs:
            admin.compute.create_flavor_extra_specs(new, specs)

    yield make
    for one in made:
        admin.compute.delete_flavor(one)


def test_a_flavor_without_a_disk_boots_from_a_volume_alone(suite, flavor):
    flavor("demo.bfv", 0)

    def use(data):
        data["cluster"]["control_plane"]["flavor"] = "demo.bfv"
        data["node_groups"] = {"default-worker": {"flavor": "demo.bfv", "count": 1}}

    suite.save(use)
    code, _, errors, _ = look(suite)
    assert code == 1
    assert errors == [
        ("FLAVOR_ROOT_DISK_ZERO", "cluster.control_plane.flavor"),
        ("FLAVOR_ROOT_DISK_ZERO", "node_groups.default-worker.flavor"),
    ]
    suite.save(lambda d: d["cluster"].update(volumes={"boot": {"size": 40}}))
    code, seen, errors, report = look(suite)
    assert (code, errors) == (0, []), report
    assert seen["quota-of-cinder"] == "ok", evidence(report, "quota-of-cinder")


def test_an_ironic_flavor_asks_for_nothing_virtual_and_takes_no_volumes(suite, flavor):
    flavor("demo.half", 100, {"resources:CUSTOM_BAREMETAL_HALF": "1", "resources:VCPU": "0"})
    suite.save(lambda d: d["node_groups"]["default-worker"].update(flavor="demo.half"))
    _, _, errors, report = look(suite)
    assert errors == [("FLAVOR_RESOURCES_NOT_ZERO", "node_groups.default-worker.flavor")]
    assert "resources:MEMORY_MB, resources:DISK_GB" in message(report, "FLAVOR_RESOURCES_NOT_ZERO")
    suite.save(lambda d: d["node_groups"]["default-worker"].update(flavor="bm.cpu"))
    suite.save(lambda d: d["cluster"].update(volumes={"driver": "cinder"}))
    assert look(suite)[2] == [("BM_WITH_VOLUME_DRIVER", "cluster.volumes.driver")]


def test_a_small_flavor_is_a_warning_since_the_floor_is_the_operator_s(suite):
    suite.save(lambda d: d["node_groups"]["default-worker"].update(flavor="bm.tiny"))
    code, _, errors, report = look(suite)
    assert (code, errors) == (0, [])
    assert "FLAVOR_TOO_SMALL" in warnings(report)


@pytest.fixture
def image(admin):
    made = []

    def make(name, **properties):
        new = admin.image.create_image(
            name, disk_format="raw", container_format="bare", visibility="public", **properties
        )
        made.append(new)

    yield make
    for one in made:
        admin.image.delete_image(one)


def test_an_image_that_no_driver_serves(suite, image):
    image("coreos", os_distro="fedora-coreos", kube_version="v1.36.3")
    suite.save(lambda d: d["image"].update(name="coreos"))
    code, _, errors, report = look(suite)
    assert (code, errors) == (1, [("NO_DRIVER_FOR_TYPE", "image.os_distro")]), report
    found = next(f for f in report["findings"] if f["code"] == "NO_DRIVER_FOR_TYPE")
    assert "(vm, fedora-coreos, kubernetes)" in found["message"]
    assert "(vm, ubuntu, kubernetes), (vm, flatcar, kubernetes)" in found["hint"]


def test_an_image_without_os_distro(suite, image):
    image("nothing-told", kube_version="v1.36.3")
    suite.save(lambda d: d["image"].update(name="nothing-told"))
    code, _, errors, report = look(suite)
    assert (code, errors) == (1, [("IMAGE_OS_DISTRO_MISSING", "image.name")])
    assert "'nothing-told' (" in message(report, "IMAGE_OS_DISTRO_MISSING")


@pytest.fixture
def fixed(demo):
    network = demo.network.create_network(name="nodes", mtu=1400)
    subnet = demo.network.create_subnet(name="nodes", network_id=network.id, ip_version=4, cidr="198.51.100.0/24")
    yield network
    demo.network.delete_subnet(subnet)
    demo.network.delete_network(network)


def test_the_mtu_of_the_nodes_network(suite, fixed):
    suite.save(lambda d: d["network"].update(fixed="nodes", mtu=9000))
    code, _, errors, _ = look(suite)
    assert (code, errors) == (1, [("NETWORK_MTU_DIFFERS", "network.mtu")])
    suite.save(lambda d: d["network"].update(mtu=1400))
    code, _, errors, report = look(suite)
    assert (code, errors) == (0, [])
    assert "NETWORK_NOT_REACHED" in warnings(report)


def clouds(suite, change):
    """Settings on a clouds.yaml of their own, with one change of the cloud `sandbox`."""
    mine = copy.deepcopy(yaml.safe_load((suite.home / "clouds.yaml").read_text()))
    change(mine["clouds"]["sandbox"])
    file = suite.folder / "clouds.yaml"
    file.touch(mode=0o600)
    file.write_text(yaml.safe_dump(mine))
    suite.save(lambda d: d["cloud"].update(clouds_file=str(file)))


def test_an_application_credential_has_its_project(suite):
    clouds(suite, lambda c: c["auth"].update(project_name="demo"))
    code, _, errors, _ = look(suite)
    assert code == 1
    assert errors[0] == ("APPCRED_WITH_SCOPE", "clouds.sandbox.auth.project_name")


@pytest.mark.parametrize(
    ("minutes", "code", "severity"), [(5, 1, "error"), (60 * 24 * 7, 0, "warning"), (60 * 24 * 60, 0, None)]
)
def test_a_credential_that_ends(suite, demo, minutes, code, severity):
    ends = dt.datetime.now(dt.UTC).replace(tzinfo=None) + dt.timedelta(minutes=minutes)
    made = demo.identity.create_application_credential(
        user=demo.current_user_id, name="ends", expires_at=ends.isoformat(), unrestricted=True
    )
    try:
        secret = {"application_credential_id": made.id, "application_credential_secret": made.secret}
        clouds(suite, lambda c: c["auth"].update(secret))
        got, _, _, report = look(suite)
    finally:
        demo.identity.delete_application_credential(demo.current_user_id, made.id)
    found = [item["severity"] for item in report["findings"] if item["code"] == "CREDENTIAL_EXPIRES"]
    assert (got, found) == (code, [severity] if severity else []), report


def test_a_reader_makes_no_clusters(suite, admin, demo):
    user = admin.identity.create_user(name="reader", password="only-here", domain_id="default")
    try:
        role = admin.identity.find_role("reader")
        admin.identity.assign_project_role_to_user(demo.current_project_id, user, role)

        def read(cloud):
            cloud.pop("auth_type", None)
            cloud["auth"] = {
                "auth_url": cloud["auth"]["auth_url"],
                "username": "reader",
                "password": "only-here",
                "project_id": demo.current_project_id,
                "user_domain_id": "default",
            }

        clouds(suite, read)
        code, _, errors, _ = look(suite)
    finally:
        admin.identity.delete_user(user)
    assert code == 1
    assert ("ROLE_MEMBER_MISSING", "roles") in errors


def test_another_cloud_in_the_environment(suite, demo):
    code, _, errors, report = look(suite, OS_CLOUD="dev")
    assert (code, errors) == (1, [("AUTH_SOURCE_CONFLICT", "OS_CLOUD")])
    # it changes nothing here: Keystone scoped to what the settings name
    assert demo.current_project_id in evidence(report, "cloud-accepts-credentials")
    code, _, errors, _ = look(suite, OS_CLOUD="sandbox")
    assert (code, errors) == (0, [])


def test_a_further_cluster_is_verified_and_not_counted_again(suite):
    groups = {"default-worker": {"flavor": "bm.cpu", "count": 1}}
    suite.save(lambda d: d.update(clusters={"second": {"node_groups": groups}}))
    try:
        report = suite.report("deploy", str(suite.file), "--only", "cluster")
        assert outcomes(report)["further-clusters-are-complete"] == "ok"
        assert evidence(report, "further-clusters-are-complete") == "second CREATE_COMPLETE"
        # a deploy that has everything asks the cloud for nothing more
        code, seen, errors, report = look(suite)
        assert (code, errors) == (0, []), report
        assert evidence(report, "quota-of-magnum") == "nothing more of it is needed"
        assert evidence(report, "machines-are-free") == "no machine is still to be made"
        assert seen["kubeconfig-lasts"] == "ok"
        suite.save(lambda d: d["clusters"]["second"]["node_groups"]["default-worker"].update(count=2))
        done = suite.magflow("verify", str(suite.file), "--stage", "cluster", "--json")
        assert done.returncode == 1
        said = evidence(json.loads(done.stdout), "further-clusters-are-complete")
        assert said == "'second': node group 'default-worker' has 1 of 2 asked"
    finally:
        suite.magflow("destroy", str(suite.file), "--yes")
