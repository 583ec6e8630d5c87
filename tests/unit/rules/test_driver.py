"""Which driver makes the cluster, and what cannot be."""

import pytest
from tests.unit.rules.test_compatibility import made

from magflow.rules.driver import target

PLAIN = {
    "cloud": {"name": "c"},
    "image": {"name": "i"},
    "network": {"external": "public"},
    "keypair": "k",
    "cluster": {"name": "ml", "kubernetes": "v1.34.1", "control_plane": {"flavor": "f"}},
    "node_groups": {"default-worker": {"flavor": "f", "count": 1}},
}


def chosen(cloud, image=None):
    return target(made(PLAIN, cloud=cloud, image=image or {}))


@pytest.mark.parametrize(
    ("cloud", "image", "driver", "reason"),
    [
        ({}, {}, "capi-helm", "cloud.driver is auto and image.os_distro is not set"),
        ({}, {"os_distro": "ubuntu"}, "capi-helm", "image.os_distro is ubuntu, which Cluster API drivers serve"),
        ({"magnum_release": "8.1.0"}, {"os_distro": "fedora-atomic"}, "heat", "image.os_distro is fedora-atomic"),
        ({"magnum_release": "22"}, {"os_distro": "fedora-coreos"}, "heat", "image.os_distro is fedora-coreos"),
        ({"magnum_release": "23"}, {}, "capi-helm", "Magnum 23.0.0 (2026.2) has no driver on Heat"),
        ({"driver": "cluster-api"}, {"os_distro": "ubuntu"}, "cluster-api", "cloud.driver is cluster-api"),
        ({"driver": "heat", "magnum_release": "22"}, {}, "heat", "cloud.driver is heat"),
    ],
)
def test_the_driver_and_its_reason(cloud, image, driver, reason):
    found = chosen(cloud, image)
    assert found.driver == driver
    assert reason in found.reason
    assert found.findings == ()


@pytest.mark.parametrize(
    ("cloud", "image", "code", "path", "said"),
    [
        (
            {"driver": "heat", "magnum_release": "23"},
            {},
            "DRIVER_REMOVED",
            "cloud.driver",
            "Magnum 23.0.0 (2026.2) has no driver on Heat: it was removed in 23.0.0",
        ),
        (
            {"magnum_release": "2026.2"},
            {"os_distro": "fedora-coreos"},
            "DRIVER_REMOVED",
            "image.os_distro",
            "Magnum 23.0.0 (2026.2) has no driver on Heat",
        ),
        ({"driver": "heat"}, {}, "RELEASE_MISSING", "cloud.magnum_release", "depend on Magnum's release"),
        ({"magnum_release": "stien"}, {}, "RELEASE_UNKNOWN", "cloud.magnum_release", "did you mean 'stein'?"),
        (
            {"driver": "heat", "magnum_release": "stien"},
            {},
            "RELEASE_UNKNOWN",
            "cloud.magnum_release",
            "'stien' is no release of Magnum",
        ),
    ],
)
def test_what_cannot_be_is_one_error(cloud, image, code, path, said):
    (finding,) = chosen(cloud, image).findings
    assert (finding.code, finding.path, finding.severity) == (code, path, "error")
    assert said in finding.message
    assert finding.hint


def test_the_release_is_known_where_it_is_given():
    assert chosen({"magnum_release": "stein"}, {"os_distro": "fedora-atomic"}).release.version == (8, 2, 1)
    assert chosen({}).release is None
