"""Ports of the workers: opened under Heat alone; elsewhere refused, with the way that does work."""

import pytest

from magflow.rules import access, offline


def settings_of(sandbox, driver, cidrs):
    ingress = sandbox.settings.ingress.model_copy(update={"allowed_cidrs": cidrs})
    cloud = sandbox.settings.cloud.model_copy(update={"driver": driver, "magnum_release": "22"})
    return sandbox.settings.model_copy(update={"ingress": ingress, "cloud": cloud})


@pytest.mark.parametrize("driver", ["capi-helm", "cluster-api"])
def test_a_rule_in_a_group_that_another_controller_keeps_is_refused(sandbox, driver):
    settings = settings_of(sandbox, driver, ["192.0.2.0/24"])
    (finding,) = access.check(settings)
    assert (finding.code, finding.path) == ("ACCESS_GROUP_MANAGED", "ingress.allowed_cidrs")
    assert "loadBalancerSourceRanges" in finding.hint
    assert finding in offline.look(settings).findings


@pytest.mark.parametrize(("driver", "cidrs"), [("heat", ["192.0.2.0/24"]), ("capi-helm", []), ("cluster-api", [])])
def test_nothing_else_is(sandbox, driver, cidrs):
    assert list(access.check(settings_of(sandbox, driver, cidrs))) == []
