"""What Magnum's own drivers leave in a cluster for Helm 2, against what magflow.kube.tiller looks for."""

import re

import pytest
import yaml

from magflow.kube import tiller

from .wheels import texts, wheel

HAVE = ["8.0.0", "8.1.0", "9.4.1", "10.1.0", "17.0.2"]
HAVE_NOT = ["7.2.0", "18.0.1", "22.0.0"]
COMMON = "magnum/drivers/common/templates/kubernetes/"


def script(release):
    found = texts(wheel("magnum", release), COMMON, end="enable-helm-tiller.sh")
    return next(iter(found.values()), None)


def objects(text):
    """The objects of its last here-document, with the shell's words as they stand."""
    (written,) = re.findall(r"cat << EOF > \$\{TILLER_DEPLOYER\}\n(.*?)\nEOF", text, re.DOTALL)
    bare = re.sub(r"\$\(.*?\)$|\$\{(\w+)\}", lambda found: found[1] or "made", written, flags=re.MULTILINE)
    return [found for found in yaml.safe_load_all(bare) if found]


@pytest.mark.parametrize("release", HAVE)
def test_the_secret_has_the_name_and_keys_that_are_looked_for(release):
    secrets = {found["metadata"]["name"]: found for found in objects(script(release)) if found["kind"] == "Secret"}
    assert set(secrets[tiller.SECRET]["data"]) == set(tiller.FILES)
    assert set(secrets["tiller-ca-key"]["data"]) == {"ca.key.pem"}
    assert {found["metadata"]["namespace"] for found in secrets.values()} == {"TILLER_NAMESPACE"}


@pytest.mark.parametrize("release", HAVE)
def test_the_clients_certificate_lasts_a_year(release):
    (line,) = [line for line in script(release).splitlines() if "helm.csr.pem" in line and "x509" in line]
    assert line.endswith("-days 365")


@pytest.mark.parametrize("release", HAVE)
def test_the_namespace_is_the_labels_default(release):
    stacks = texts(wheel("magnum", release), "magnum/drivers/k8s_fedora_", end="/kubecluster.yaml")
    found = [yaml.safe_load(text)["parameters"].get("tiller_namespace", {}).get("default") for text in stacks.values()]
    assert tiller.NAMESPACE in found
    assert set(found) <= {tiller.NAMESPACE, None}


@pytest.mark.parametrize("release", HAVE_NOT)
def test_before_and_after_there_is_no_tiller(release):
    assert script(release) is None
