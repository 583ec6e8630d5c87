"""The checks of the uploaded image, on a Glance that answers as told."""

import hashlib
from types import SimpleNamespace

import pytest

from magflow.checks import image as checks
from magflow.checks.model import NotApplicable, Problem

CONTENT = b"an image"
SHA256 = "sha256:" + hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def world(sandbox, tmp_path):
    file = tmp_path / "node.qcow2"
    file.write_bytes(CONTENT)
    asked = {"file": file, "checksum": SHA256, "os_distro": "ubuntu", "kube_version": "v1.36.3"}
    settings = sandbox.settings.model_copy(
        update={"image": sandbox.settings.image.model_copy(update=asked)},
    )
    held = SimpleNamespace(
        id="i1",
        status="active",
        size=8,
        created_at="2026-01-01",
        os_distro="ubuntu",
        os_version=None,
        hash_algo="sha512",
        hash_value=hashlib.sha512(CONTENT).hexdigest(),
        properties={"magflow_checksum": SHA256, "kube_version": "v1.36.3"},
    )
    listed = [SimpleNamespace(id="i0", properties={}, created_at="2027-01-01"), held]
    cloud = SimpleNamespace(image=SimpleNamespace(images=lambda name: listed))
    return SimpleNamespace(settings=settings, cloud=cloud, held=held, listed=listed, file=file)


def test_all_is_well(world):
    assert "i1" in checks.is_active.probe(world)
    assert checks.properties_are_asked.probe(world) == "os_distro ubuntu, kube_version v1.36.3"
    assert checks.checksum_is_asked.probe(world).startswith("sha512")


def test_an_image_of_that_name_that_we_did_not_upload_is_not_taken(world):
    world.listed.remove(world.held)
    with pytest.raises(Problem, match=r"no image .* that carries magflow_checksum"):
        checks.is_active.probe(world)


@pytest.mark.parametrize(("status", "final"), [("saving", False), ("killed", True)])
def test_an_image_that_is_not_active(world, status, final):
    world.held.status = status
    with pytest.raises(Problem, match=status) as problem:
        checks.is_active.probe(world)
    assert problem.value.final is final


def test_another_property(world):
    world.held.os_distro = "flatcar"
    with pytest.raises(Problem, match="os_distro is flatcar, asked for was ubuntu"):
        checks.properties_are_asked.probe(world)


def test_another_content(world):
    world.held.hash_value = "0" * 128
    with pytest.raises(Problem, match="sha512 is 000"):
        checks.checksum_is_asked.probe(world)


def test_the_same_kind_of_hash_needs_no_file(world):
    world.file.unlink()
    with pytest.raises(NotApplicable, match="the file is gone"):
        checks.checksum_is_asked.probe(world)
    world.held.hash_algo, world.held.hash_value = "sha256", SHA256.partition(":")[2]
    assert checks.checksum_is_asked.probe(world).startswith("sha256")


def test_a_changed_file_is_not_hashed_for_the_right_one(world):
    world.file.write_bytes(b"another")
    with pytest.raises(Problem, match="has another sha256"):
        checks.checksum_is_asked.probe(world)


def test_a_glance_without_hashes(world):
    world.held.hash_algo = None
    with pytest.raises(NotApplicable):
        checks.checksum_is_asked.probe(world)
