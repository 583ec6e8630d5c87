"""Preflight of images on recorded answers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.unit.checks.test_preflight import changed, codes

from magflow.checks.model import Problem
from magflow.checks.preflight import image
from magflow.rules import labels

GOOD = {"os_distro": "ubuntu", "kube_version": "v1.36.3"}


def glance(images):
    """A cloud whose Glance has these images, and how often it was asked."""
    asked = []

    def find_image(name):
        asked.append(name)
        properties = images.get(name)
        if properties is None:
            return None
        rest = {key: value for key, value in properties.items() if key != "os_distro"}
        return SimpleNamespace(id=f"id-{name}", name=name, os_distro=properties.get("os_distro"), properties=rest)

    return SimpleNamespace(image=SimpleNamespace(find_image=find_image), asked=asked)


def probe(settings, cloud):
    return image.image_fits.probe(SimpleNamespace(settings=settings, cloud=cloud))


def found(settings, images):
    with pytest.raises(Problem) as problem:
        probe(settings, glance(images))
    return codes(problem.value.findings)


NAME = "ubuntu-jammy-kube-v1.36.3"


def test_an_image_that_fits_names_its_driver(sandbox):
    said = probe(sandbox.settings, glance({NAME: GOOD}))
    assert said == f"{NAME}: os_distro ubuntu, kube_version v1.36.3, served by k8s_capi_helm_v1"


@pytest.mark.parametrize(
    ("images", "wrong"),
    [
        ({}, [("IMAGE_MISSING", "image.name")]),
        ({NAME: {"kube_version": "v1.36.3"}}, [("IMAGE_OS_DISTRO_MISSING", "image.name")]),
        ({NAME: {"os_distro": "ubuntu"}}, [("IMAGE_KUBE_VERSION_MISSING", "image.name")]),
        ({NAME: GOOD | {"os_distro": "debian"}}, [("NO_DRIVER_FOR_TYPE", "image.os_distro")]),
        ({NAME: GOOD | {"kube_version": "1.34.8"}}, [("KUBE_TAG_IMAGE_SKEW", "cluster.kubernetes")]),
    ],
)
def test_an_image_that_does_not(sandbox, images, wrong):
    assert found(sandbox.settings, images) == wrong


def test_what_the_settings_say_of_it_is_compared(sandbox):
    settings = changed(sandbox, image__os_distro="flatcar")
    assert found(settings, {NAME: GOOD}) == [("IMAGE_OS_DISTRO_DIFFERS", "image.os_distro")]


def test_bare_metal_by_server_type_names_what_is_served(sandbox):
    settings = changed(sandbox, cluster__server_type="bm")
    compiled = labels.compile(settings)
    finding = next(iter(image.of_image(settings, compiled, "'x' (id-x)", GOOD)))
    assert finding.code == "NO_DRIVER_FOR_TYPE"
    assert "(bm, ubuntu, kubernetes)" in finding.message
    assert "(vm, ubuntu, kubernetes), (vm, flatcar, kubernetes)" in finding.hint


def test_heat_needs_no_kube_version(sandbox):
    settings = changed(
        sandbox,
        cloud__driver="heat",
        cloud__magnum_release="22",
        image__os_distro="fedora-coreos",
        cluster__kubernetes="v1.28.9-rancher1",
    )
    said = probe(settings, glance({NAME: {"os_distro": "fedora-coreos"}}))
    assert said == f"{NAME}: os_distro fedora-coreos, served by k8s_fedora_coreos_v1"


def test_an_image_that_many_clusters_boot_from_is_looked_up_once(sandbox):
    cloud = glance({NAME: GOOD})
    probe(changed(sandbox, clusters={f"c{number}": {} for number in range(20)}), cloud)
    assert cloud.asked == [NAME]


def test_an_image_to_upload_needs_its_file(sandbox, tmp_path):
    file = tmp_path / "i.qcow2"
    upload = {"name": "new", "file": str(file), "checksum": "sha256:" + "0" * 64} | GOOD
    settings = changed(sandbox, image=upload)
    assert found(settings, {}) == [("IMAGE_FILE_MISSING", "image.file")]
    file.touch()
    assert probe(settings, glance({})).startswith("new is uploaded from ")


def test_a_keypair(sandbox, tmp_path):
    def nova(there):
        cloud = SimpleNamespace(compute=SimpleNamespace(find_keypair=lambda _name: there))
        return SimpleNamespace(settings=sandbox.settings, cloud=cloud)

    assert image.keypair_is_there.probe(nova(object())) == "magflow"
    with pytest.raises(Problem, match="there is no keypair 'magflow'"):
        image.keypair_is_there.probe(nova(None))
    key = tmp_path / "id.pub"
    made = SimpleNamespace(settings=changed(sandbox, public_key=str(key)))
    with pytest.raises(Problem, match="is not a file"):
        image.keypair_is_there.probe(made)
    key.touch()
    assert image.keypair_is_there.probe(made).startswith("magflow is made from ")
