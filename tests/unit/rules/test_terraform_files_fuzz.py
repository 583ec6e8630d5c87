"""Whatever a Terraform file in JSON holds, the look at it gives findings or says what it cannot read."""

import json

from hypothesis import HealthCheck, given, settings
from tests.unit.mutants import mutants

from magflow.errors import CannotTell
from magflow.rules import terraform_files

CLUSTER = "openstack_containerinfra_cluster_v1"
GROUP = {
    "cluster_id": f"${{{CLUSTER}.demo.id}}",
    "node_count": 2,
    "depends_on": [f"{CLUSTER}.demo"],
    "lifecycle": {"ignore_changes": ["node_count"]},
}
FILE = {
    "terraform": {
        "required_providers": {"openstack": {"source": "a/openstack", "version": "~> 1.47.0"}},
        "backend": {"local": {}},
    },
    "provider": {"openstack": {"cloud": "x"}},
    "locals": {"config": f"${{{CLUSTER}.demo.kubeconfig.raw_config}}"},
    "module": {"more": {"source": "./more", "text": "${local.config}"}},
    "resource": {
        CLUSTER: {"demo": {"name": "demo", "labels": {"auto_scaling_enabled": "true"}, "node_count": 1}},
        "openstack_containerinfra_nodegroup_v1": {"a": GROUP, "b": GROUP},
        "local_file": {"k": {"content": "${local.config}", "file_permission": "0644"}},
    },
    "output": {"kubeconfig": {"value": "${local.config}", "sensitive": False}},
}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=mutants(FILE))
def test_a_file_with_one_thing_changed(tmp_path, data):
    (tmp_path / "main.tf.json").write_text(json.dumps(data))
    try:
        found = terraform_files.examine(tmp_path).findings
    except CannotTell as error:
        assert error.where
    else:
        assert all(finding.code and finding.path for finding in found)
