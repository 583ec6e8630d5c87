"""Settings that the cloud cannot fulfil: each one verdict of what, where and what to do, exit 1 or 2, no traceback."""

from __future__ import annotations

import copy
import datetime as dt
import ssl
import time
from pathlib import Path

import openstack
import pytest
import yaml
from tests.sandbox.suite import Suite

CASES = {
    "unknown flavor": (
        lambda d: d["node_groups"]["gpu"].update(flavor="bm.none"),
        1,
        "there is no flavor 'bm.none' (node_groups.gpu.flavor)",
    ),
    "GPU group on a flavor without GPUs": (
        lambda d: d["node_groups"]["gpu"].update(flavor="bm.cpu"),
        1,
        "node_groups.gpu asks for 4 GPUs a node, flavor 'bm.cpu'",
    ),
    "image without kube_version": (
        lambda d: d["image"].update(name="ubuntu-jammy-no-kube-version"),
        1,
        "has no property kube_version",
    ),
    "image without os_distro": (lambda d: d["image"].update(name="no-distro"), 1, "has no property os_distro"),
    "image that is not there": (lambda d: d["image"].update(name="none"), 1, "there is no image 'none'"),
    "image of another version": (
        lambda d: d["cluster"].update(kubernetes="v1.35.4"),
        1,
        "carries Kubernetes v1.36.3, cluster.kubernetes is v1.35.4",
    ),
    "missing keypair": (lambda d: d.update(keypair="none"), 1, "there is no keypair 'none' of this user"),
    "network that is not external": (lambda d: d["network"].update(external="none"), 1, "there is no network 'none'"),
    "wrong cloud name": (lambda d: d["cloud"].update(name="sandbx"), 2, "cloud 'sandbx' is not in clouds.yaml"),
    "restricted credential": (
        lambda d: d["cloud"].update(name="sandbox-restricted"),
        1,
        "is restricted, and Magnum would be refused",
    ),
}


@pytest.fixture
def suite(cloud_home, tmp_path):
    return Suite(home=cloud_home, folder=tmp_path)


def verdict(suite, code, words):
    done = suite.magflow("check", str(suite.file))
    assert done.returncode == code, done.stdout
    lines = done.stdout.splitlines()
    at = next((index for index, line in enumerate(lines) if words in line), None)
    assert at is not None, done.stdout
    assert "do:" in lines[at + 1]
    return done.stdout


@pytest.mark.parametrize("name", CASES)
def test_one_verdict(suite, name):
    change, code, words = CASES[name]
    suite.save(change)
    verdict(suite, code, words)


def clouds(suite, change):
    """Settings on a clouds.yaml of their own, with one change of the cloud `sandbox`."""
    data = yaml.safe_load((suite.home / "clouds.yaml").read_text())
    mine = copy.deepcopy(data)
    change(mine["clouds"]["sandbox"])
    file = suite.folder / "clouds.yaml"
    file.write_text(yaml.safe_dump(mine))
    suite.save(lambda d: d["cloud"].update(clouds_file=str(file)))


def test_wrong_secret(suite):
    clouds(suite, lambda c: c["auth"].update(application_credential_secret="wrong"))
    said = verdict(suite, 1, "Keystone refused the credentials")
    assert "HTTP 401" in said


def test_expired_credential(suite):
    config = openstack.config.OpenStackConfig(config_files=[str(suite.home / "clouds.yaml")], load_envvars=False)
    cloud = openstack.connection.Connection(config=config.get_one(cloud="sandbox"))
    ends = dt.datetime.now(dt.UTC).replace(tzinfo=None) + dt.timedelta(seconds=2)
    made = cloud.identity.create_application_credential(
        user=cloud.current_user_id, name="short-lived", expires_at=ends.isoformat()
    )
    try:
        clouds(
            suite,
            lambda c: c["auth"].update(application_credential_id=made.id, application_credential_secret=made.secret),
        )
        time.sleep(3)
        verdict(suite, 1, "Keystone refused the credentials")
    finally:
        cloud.identity.delete_application_credential(cloud.current_user_id, made.id)


def test_wrong_ca(suite, tmp_path):
    strangers = tmp_path / "ca.crt"
    strangers.write_text(Path(ssl.get_default_verify_paths().openssl_cafile).read_text())
    clouds(suite, lambda c: c.update(cacert=str(strangers)))
    said = verdict(suite, 2, "the certificate does not verify")
    assert "set cacert of this cloud in clouds.yaml" in said


def test_cacert_that_is_no_file(suite):
    clouds(suite, lambda c: c.update(cacert="./nowhere.pem"))
    verdict(suite, 1, "is not a file (tried /")


def test_nothing_listens(suite):
    clouds(suite, lambda c: c["auth"].update(auth_url="https://127.0.0.1:26599/v3"))
    verdict(suite, 2, "not reachable")


def test_a_deploy_with_bad_settings_changes_nothing(suite):
    suite.save(lambda d: d.update(keypair="none"))
    done = suite.magflow("deploy", str(suite.file))
    assert done.returncode == 1
    assert "nothing was changed" in done.stderr
    assert not (suite.run / "facts.json").exists()
