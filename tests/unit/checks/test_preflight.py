"""Preflight on recorded answers: what the sandbox has not, and both directions of what it has."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from functools import partial
from types import SimpleNamespace

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from magflow.checks.model import NotApplicable, Problem, Warned
from magflow.checks.preflight import OFFLINE, PREFLIGHT, clouds, credentials, flavors, networks, quotas, services
from magflow.checks.preflight.each import every, told
from magflow.checks.preflight.settings import settings_fit
from magflow.cloud.capacity import Forbidden, Wanted, free_machines
from magflow.cloud.flavors import Machine
from magflow.cloud.quotas import READERS, Quota
from magflow.rules import labels
from magflow.settings import Settings

IRONIC = {
    "resources:CUSTOM_BAREMETAL_X": "1",
    "resources:VCPU": "0",
    "resources:MEMORY_MB": "0",
    "resources:DISK_GB": "0",
}


def machine(disk=100, specs=None, vcpus=8, ram=32768):
    return Machine("bm", vcpus, ram, disk, IRONIC if specs is None else specs)


def changed(sandbox, **parts):
    data = sandbox.settings.model_dump(mode="json", by_alias=True)
    for path, value in parts.items():
        *keys, last = path.split("__")
        at = data
        for key in keys:
            at = at[key]
        at[last] = value
    return Settings.model_validate(data)


def codes(findings):
    return [(finding.code, finding.path) for finding in findings]


def flavor_codes(settings, **machines):
    return codes(flavors.rules(machines, settings, labels.compile(settings)))


@pytest.fixture
def one_flavor(sandbox):
    return changed(
        sandbox,
        cluster__control_plane={"flavor": "bm", "count": 1},
        node_groups={"default-worker": {"flavor": "bm", "count": 1}},
    )


def test_ironic_flavors_fit(one_flavor):
    assert flavor_codes(one_flavor, bm=machine()) == []


def test_a_flavor_that_is_not_there(one_flavor):
    assert flavor_codes(one_flavor, bm=None) == [
        ("FLAVOR_MISSING", "cluster.control_plane.flavor"),
        ("FLAVOR_MISSING", "node_groups.default-worker.flavor"),
    ]


@pytest.mark.parametrize(
    ("change", "specs", "code"),
    [
        ({}, {}, "FLAVOR_ROOT_DISK_ZERO"),
        ({"cluster__volumes": {"boot": {"size": 40}}}, {}, None),
        ({"cluster__extra_labels": {"boot_volume_size": "40"}}, {}, None),
        ({"cluster__extra_labels": {"boot_volume_size": "0"}}, {}, "FLAVOR_ROOT_DISK_ZERO"),
    ],
)
def test_a_flavor_without_a_disk(sandbox, one_flavor, change, specs, code):
    settings = changed(SimpleNamespace(settings=one_flavor), **change)
    found = [code for code, _ in flavor_codes(settings, bm=machine(disk=0, specs=specs))]
    assert found == ([code] * 2 if code else [])


def test_a_flavor_of_half_a_virtual_machine(one_flavor):
    half = {key: value for key, value in IRONIC.items() if key != "resources:DISK_GB"}
    assert {code for code, _ in flavor_codes(one_flavor, bm=machine(specs=half))} == {"FLAVOR_RESOURCES_NOT_ZERO"}


@pytest.mark.parametrize(("specs", "told_"), [(IRONIC, True), ({}, False)])
def test_volumes_are_not_for_ironic_machines(one_flavor, specs, told_):
    settings = changed(SimpleNamespace(settings=one_flavor), cluster__volumes={"driver": "cinder"})
    wanted = [("BM_WITH_VOLUME_DRIVER", "cluster.volumes.driver")] if told_ else []
    assert flavor_codes(settings, bm=machine(specs=specs)) == wanted


@pytest.mark.parametrize(
    ("gpus", "specs", "wrong"),
    [
        (4, IRONIC, True),
        (4, IRONIC | {"magflow:gpus": "2"}, True),
        (4, IRONIC | {"magflow:gpus": "4"}, False),
        (0, IRONIC | {"magflow:gpus": "4"}, False),
    ],
)
def test_gpus(one_flavor, gpus, specs, wrong):
    settings = changed(
        SimpleNamespace(settings=one_flavor),
        node_groups={"default-worker": {"flavor": "bm", "count": 1, "gpus": gpus}},
    )
    path = "node_groups.default-worker.gpus"
    assert flavor_codes(settings, bm=machine(specs=specs)) == ([("FLAVOR_GPUS_DIFFER", path)] if wrong else [])


def test_every_cluster_s_flavors_are_looked_at(sandbox):
    groups = {"default-worker": {"flavor": "none", "count": 1}}
    settings = changed(sandbox, clusters={"second": {"node_groups": groups}})
    known = {name: machine(specs=IRONIC | {"magflow:gpus": "4"}) for name in ("bm.control", "bm.cpu", "bm.gpu4")}
    found = every(SimpleNamespace(settings=settings), partial(flavors.rules, known | {"none": None}))
    assert codes(found) == [("FLAVOR_MISSING", "clusters.second.node_groups.default-worker.flavor")]


class Answer:
    def __init__(self, status, body):
        self.status_code, self.body, self.text = status, body, str(body)

    def json(self):
        return self.body


def cloud(has=(), **answers):
    """A connection whose services answer by path."""

    def service(name):
        return SimpleNamespace(get=lambda path, **_: answers[name](path) if callable(answers[name]) else answers[name])

    made = SimpleNamespace(has_service=lambda kind: kind in has, current_project_id="p")
    for name in answers:
        setattr(made, name, service(name))
    return made


@pytest.mark.parametrize(("free", "outcome"), [(3, None), (2, "3 of CUSTOM_BAREMETAL_X are to be made, 2 are free")])
def test_free_ironic_machines(sandbox, monkeypatch, free, outcome):
    monkeypatch.setattr(flavors.cloud_flavors, "find", lambda _cloud, _name: machine())
    providers = Answer(200, {"resource_providers": [{}] * free})
    world = SimpleNamespace(cloud=cloud(["placement"], placement=providers), wanted=Wanted(Counter(bm=3), ["demo"]))
    if outcome:
        with pytest.raises(Problem, match=outcome):
            flavors.machines_are_free.probe(world)
    else:
        assert flavors.machines_are_free.probe(world) == "CUSTOM_BAREMETAL_X: 3 of 3"


@pytest.mark.parametrize(
    ("has", "specs", "wanted", "reason"),
    [
        ([], IRONIC, {"bm": 1}, "no placement service"),
        (["placement"], {}, {"bm": 1}, "no flavor takes an Ironic machine"),
        (["placement"], IRONIC, {}, "no machine is still to be made"),
        (["placement"], IRONIC, {"bm": 1}, "administrators alone"),
    ],
)
def test_capacity_that_is_not_told_is_no_pass(monkeypatch, has, specs, wanted, reason):
    monkeypatch.setattr(flavors.cloud_flavors, "find", lambda _cloud, _name: machine(specs=specs))
    world = SimpleNamespace(cloud=cloud(has, placement=Answer(403, {})), wanted=Wanted(Counter(wanted)))
    with pytest.raises(NotApplicable, match=reason):
        flavors.machines_are_free.probe(world)


def test_a_class_that_placement_does_not_know_has_nothing_free():
    refused = Answer(400, "Invalid resource class in resources parameter: CUSTOM_X")
    assert free_machines(cloud(placement=refused), "CUSTOM_X") == 0


ASKED = Wanted(Counter({"bm": 4}), ["demo"])
MACHINES = {"bm": machine(vcpus=10, ram=1000)}


def test_what_is_needed_of_each_service(sandbox):
    settings = sandbox.settings
    assert quotas.of_nova(settings, ASKED, MACHINES) == Counter(instances=4, cores=40, ram=4000)
    assert quotas.of_neutron(settings, ASKED, MACHINES) == Counter(
        port=5, security_group=2, floatingip=1, network=1, subnet=1, router=1
    )
    assert +quotas.of_cinder(settings, ASKED, MACHINES) == Counter()
    assert quotas.of_octavia(settings, ASKED, MACHINES) == Counter(load_balancer=1)
    assert quotas.of_magnum(settings, ASKED, MACHINES) == Counter(clusters=1)


def test_what_is_there_is_not_needed_again(sandbox):
    standing = Wanted(Counter(), [], 1)
    assert not any(+need(sandbox.settings, standing, {}) for need in quotas.NEEDS.values())


def test_volumes_of_the_machines(sandbox):
    volumes = {"boot": {"size": 40}, "docker": {"size": 10}, "etcd": {"size": 5}}
    settings = changed(sandbox, cluster__volumes=volumes)
    assert quotas.of_cinder(settings, ASKED, MACHINES) == Counter(volumes=9, gigabytes=205)


def test_an_existing_network_needs_none(sandbox):
    settings = changed(sandbox, network__fixed="nodes", cluster__load_balancer={"floating_ip": False})
    assert quotas.of_neutron(settings, ASKED, MACHINES) == Counter(port=5, security_group=2)


def test_a_quota_that_is_short():
    there = {"instances": Quota(10, 8), "cores": Quota(-1, 100)}
    found = quotas.short("nova", {"instances": 3, "cores": 1000, "ram": 5}, there)
    assert codes(found) == [("QUOTA_EXCEEDED", "quota.nova.instances")]
    assert found[0].message == "3 more instances are needed, 2 are left (8 of 10 used)"
    assert quotas.short("nova", {"instances": 2}, there) == []


OCTAVIA = {"quota": {"load_balancer": 10}}
CINDER = {
    "limits": {
        "absolute": {
            "maxTotalVolumes": 10,
            "totalVolumesUsed": 9,
            "maxTotalVolumeGigabytes": -1,
            "totalGigabytesUsed": 5,
        }
    }
}


def test_quotas_of_services_that_the_sandbox_has_not():
    octavia = cloud(load_balancer=Answer(200, OCTAVIA))
    octavia.load_balancer.load_balancers = lambda: [1, 2]
    assert READERS["octavia"][1](octavia) == {"load_balancer": Quota(10, 2)}
    assert READERS["cinder"][1](cloud(block_storage=Answer(200, CINDER))) == {
        "volumes": Quota(10, 9),
        "gigabytes": Quota(-1, 5),
    }


def test_a_quota_that_is_not_told_is_skipped():
    with pytest.raises(Forbidden, match="Cinder does not tell"):
        READERS["cinder"][1](cloud(block_storage=Answer(403, {})))
    with pytest.raises(NotApplicable, match="Cinder does not tell"), told("Cinder"):
        READERS["cinder"][1](cloud(block_storage=Answer(403, {})))


def service_codes(settings, has):
    return codes(services.missing_services(settings, labels.compile(settings), lambda kind: kind in has))


ALL = ("load-balancer", "orchestration", "block-storage")


@pytest.mark.parametrize(
    ("change", "has", "found"),
    [
        ({}, ALL, []),
        ({}, (), [("OCTAVIA_MISSING", "cluster.load_balancer.enabled")]),
        ({"cloud__driver": "cluster-api"}, (), []),
        (
            {"cloud__driver": "cluster-api", "cluster__control_plane": {"flavor": "f", "count": 3}},
            (),
            [("OCTAVIA_MISSING", "cluster.load_balancer.enabled")],
        ),
        (
            {"cloud__driver": "cluster-api", "cluster__load_balancer": {"enabled": True}},
            (),
            [("OCTAVIA_MISSING", "cluster.load_balancer.enabled")],
        ),
        ({"cloud__driver": "heat"}, (), [("HEAT_MISSING", "cloud.driver")]),
        ({"cloud__driver": "heat"}, ("orchestration",), []),
        (
            {"cloud__driver": "heat", "ingress__controller": "octavia"},
            ("orchestration",),
            [("OCTAVIA_MISSING", "ingress.controller")],
        ),
        ({"cluster__volumes": {"boot": {"size": 1}}}, ("load-balancer",), [("CINDER_MISSING", "cluster.volumes.boot")]),
    ],
)
def test_services_of_the_catalog(sandbox, change, has, found):
    assert service_codes(changed(sandbox, **change), has) == found


@pytest.mark.parametrize(
    ("roles", "octavia", "found"),
    [
        ({"member", "reader"}, False, []),
        ({"reader"}, False, ["ROLE_MEMBER_MISSING"]),
        ({"member"}, True, ["ROLE_LOAD_BALANCER_MISSING"]),
        ({"member", "load-balancer_member"}, True, []),
        ({"admin"}, True, []),
        ({"member", "heat_stack_user"}, False, ["ROLE_STACK_USER"]),
    ],
)
def test_roles(roles, octavia, found):
    assert [finding.code for finding in credentials.missing_roles(roles, octavia=octavia)] == found


ROUTES = """Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t0000910A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
"""
"""The way to everywhere, and 10.145.0.0/24, as a little-endian machine prints them."""


@pytest.mark.parametrize(
    ("cidr", "known"), [("10.145.0.0/25", True), ("10.145.0.0/24", True), ("10.145.1.0/24", False), ("fd00::/64", True)]
)
def test_a_network_within_reach(tmp_path, monkeypatch, cidr, known):
    monkeypatch.setattr(networks.sys, "byteorder", "little")
    file = tmp_path / "route"
    file.write_text(ROUTES)
    assert networks.reached(cidr, file) is known


def test_reach_is_not_denied_where_there_is_no_table(tmp_path):
    assert networks.reached("10.145.0.0/24", tmp_path / "none")


def certificate(days):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - dt.timedelta(days=400))
    made = builder.not_valid_after(now + dt.timedelta(days=days)).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM)


def kubeconfig(folder, client, authority):
    import base64

    def data(pem):
        return base64.b64encode(pem).decode()

    file = folder / "kubeconfig"
    file.write_text(
        yaml.safe_dump(
            {
                "users": [{"user": {"client-certificate-data": data(certificate(client))}}],
                "clusters": [{"cluster": {"certificate-authority-data": data(certificate(authority))}}],
            }
        )
    )
    return SimpleNamespace(kubeconfig=file)


@pytest.mark.parametrize(
    ("client", "authority", "outcome", "said"),
    [
        (300, 3000, None, ""),
        (3, 3000, Warned, "client certificate ends"),
        (-1, 3000, Warned, "client certificate ended"),
        (300, 3, Warned, "cluster's CA ends"),
        (300, -1, Problem, "cluster's CA ended"),
    ],
)
def test_certificates_of_the_kubeconfig(tmp_path, client, authority, outcome, said):
    world = kubeconfig(tmp_path, client, authority)
    if outcome is None:
        assert clouds.kubeconfig_lasts.probe(world).startswith("until ")
        return
    with pytest.raises(Problem) as problem:
        clouds.kubeconfig_lasts.probe(world)
    assert type(problem.value) is outcome
    assert said in problem.value.findings[0].message


def test_a_kubeconfig_that_is_none_is_a_warning(tmp_path):
    (tmp_path / "kubeconfig").write_text("[]")
    with pytest.raises(Warned):
        clouds.kubeconfig_lasts.probe(SimpleNamespace(kubeconfig=tmp_path / "kubeconfig"))
    with pytest.raises(NotApplicable):
        clouds.kubeconfig_lasts.probe(SimpleNamespace(kubeconfig=tmp_path / "none"))


def with_clouds(sandbox, tmp_path, monkeypatch, entry, environ=None, mode=0o600):
    file = tmp_path / "clouds.yaml"
    file.write_text(yaml.safe_dump({"clouds": {"sandbox": entry}}))
    file.chmod(mode)
    for name in [name for name in clouds.os.environ if name.startswith("OS_")]:
        monkeypatch.delenv(name)
    for name, value in (environ or {}).items():
        monkeypatch.setenv(name, value)
    settings = changed(sandbox, cloud__clouds_file=str(file))
    return clouds.clouds_file_fits.probe(SimpleNamespace(settings=settings))


WHOLE = {
    "auth_type": "v3applicationcredential",
    "auth": {
        "auth_url": "https://keystone.example.org/v3",
        "application_credential_id": "a",
        "application_credential_secret": "s",
    },
}


def test_a_whole_entry(sandbox, tmp_path, monkeypatch):
    assert with_clouds(sandbox, tmp_path, monkeypatch, WHOLE).startswith("cloud 'sandbox' of ")


def test_another_cloud_in_the_environment_stops(sandbox, tmp_path, monkeypatch):
    with pytest.raises(Problem) as problem:
        with_clouds(sandbox, tmp_path, monkeypatch, WHOLE, {"OS_CLOUD": "dev"})
    assert codes(problem.value.findings) == [("AUTH_SOURCE_CONFLICT", "OS_CLOUD")]


def test_a_file_for_all_is_a_warning(sandbox, tmp_path, monkeypatch):
    with pytest.raises(Warned) as warned:
        with_clouds(sandbox, tmp_path, monkeypatch, WHOLE, mode=0o644)
    assert [code for code, _ in codes(warned.value.findings)] == ["CLOUDS_FILE_READABLE"]


@pytest.mark.parametrize(
    ("days", "outcome", "code"),
    [
        (100, None, None),
        (3, Warned, "CACERT_EXPIRES"),
        (-1, Problem, "CACERT_EXPIRES"),
        (None, Problem, "CACERT_UNREADABLE"),
    ],
)
def test_the_cloud_s_ca(sandbox, tmp_path, monkeypatch, days, outcome, code):
    ca = tmp_path / "ca.pem"
    ca.write_bytes(b"none" if days is None else certificate(days))
    if outcome is None:
        with_clouds(sandbox, tmp_path, monkeypatch, WHOLE | {"cacert": str(ca)})
        return
    with pytest.raises(Problem) as problem:
        with_clouds(sandbox, tmp_path, monkeypatch, WHOLE | {"cacert": str(ca)})
    assert type(problem.value) is outcome
    assert [found for found, _ in codes(problem.value.findings)] == [code]


def test_no_file_and_no_entry_are_skipped(sandbox, tmp_path, monkeypatch):
    with pytest.raises(NotApplicable, match="there is no "):
        clouds.clouds_file_fits.probe(
            SimpleNamespace(settings=changed(sandbox, cloud__clouds_file=str(tmp_path / "none")))
        )
    settings = changed(sandbox, cloud__name="other")
    with pytest.raises(NotApplicable, match="has no cloud 'other'"):
        with_clouds(SimpleNamespace(settings=settings), tmp_path, monkeypatch, WHOLE)


def test_the_settings_check_shows_each_finding(sandbox):
    fine = settings_fit.probe(SimpleNamespace(settings=sandbox.settings))
    assert fine == "1 cluster; capi-helm (run in the sandbox), Magnum's release not told"
    with pytest.raises(Problem) as problem:
        settings_fit.probe(SimpleNamespace(settings=changed(sandbox, network__driver="flannel")))
    assert codes(problem.value.findings) == [("NETWORK_DRIVER_UNSUPPORTED", "network.driver")]
    with pytest.raises(Warned):
        settings_fit.probe(SimpleNamespace(settings=changed(sandbox, network__mtu=1500)))


def test_what_is_looked_at_offline_is_looked_at_first():
    assert PREFLIGHT[: len(OFFLINE)] == OFFLINE
