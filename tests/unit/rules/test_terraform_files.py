"""Somebody's own Terraform files: each finding, and the files beside it that are right."""

import json

import pytest

from magflow.errors import CannotTell
from magflow.paths import root
from magflow.rules import terraform_files

CLUSTER = """
resource "openstack_containerinfra_cluster_v1" "demo" {
  name                = "demo"
  cluster_template_id = "t1"
}
"""
TEMPLATE = """
resource "openstack_containerinfra_clustertemplate_v1" "demo" {
  name   = "demo"
  labels = { monitoring_enabled = "true" }
}
"""
GROUP = """
resource "openstack_containerinfra_nodegroup_v1" "{name}" {{
  cluster_id = openstack_containerinfra_cluster_v1.demo.id
  {more}
}}
"""
SAFE = 'terraform {\n  backend "pg" {}\n}\n'


def provider(constraint):
    version = f'version = "{constraint}"' if constraint else ""
    return f"""
terraform {{
  required_providers {{
    openstack = {{
      source = "terraform-provider-openstack/openstack"
      {version}
    }}
  }}
}}
"""


PINNED = provider("~> 3.4")


@pytest.fixture
def look(tmp_path):
    def write_and_look(text="", **files):
        for name, content in {
            "main.tf": text,
            **{name.replace("__", "/"): body for name, body in files.items()},
        }.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return terraform_files.examine(tmp_path).findings

    return write_and_look


def codes(found):
    return [finding.code for finding in found]


# what the provider cannot do


@pytest.mark.parametrize(
    ("constraint", "files", "fixed"),
    [
        ("~> 1.47.0", TEMPLATE, "1.50.0"),
        ("1.33.0", CLUSTER, "1.49.0"),
        ("~> 1.33", CLUSTER, "1.49.0"),
        (">= 1.40, < 4.0", CLUSTER + TEMPLATE, "1.50.0"),
        ("~> 1.46.0", CLUSTER + GROUP.format(name="a", more=""), "1.49.0"),
        ("= v1.48.0", CLUSTER, "1.49.0"),
        ("> 1.48.0, != 1.49.0", TEMPLATE, "1.50.0"),
    ],
)
def test_a_constraint_that_lets_an_old_provider_in(look, constraint, files, fixed):
    (finding,) = look(SAFE + provider(constraint) + files)
    assert (finding.code, str(finding.severity), finding.path) == (
        "PROVIDER_TOO_OLD",
        "error",
        "required_providers.openstack",
    )
    assert f'"{constraint}"' in finding.message and f"fixed in {fixed}" in finding.message
    assert finding.hint == f'version = ">= {fixed}"'


@pytest.mark.parametrize("constraint", [">= 1.50.0", "3.4.0", "~> 3.4", ">= 1.50, < 5", "~> 3"])
def test_a_constraint_that_does_not(look, constraint):
    assert look(SAFE + provider(constraint) + CLUSTER + TEMPLATE) == ()


@pytest.mark.parametrize(("constraint", "files"), [("~> 1.47.0", "locals {}"), (">= 1.49.0", CLUSTER)])
def test_what_is_not_used_does_not_matter(look, constraint, files):
    assert look(SAFE + provider(constraint) + files) == ()


def test_a_release_that_is_kept_out_is_a_warning(look):
    (finding,) = look(SAFE + provider("~> 2.0") + CLUSTER)
    assert (finding.code, str(finding.severity)) == ("PROVIDER_TOO_OLD", "warning")
    assert "from 3.4.0 on" in finding.message and "1928" in finding.message


@pytest.mark.parametrize(
    ("lock", "expected"), [("1.47.0", ["PROVIDER_TOO_OLD"]), ("1.52.1", ["PROVIDER_TOO_OLD"]), ("3.4.0", [])]
)
def test_what_is_locked_counts(look, lock, expected):
    text = f'provider "registry.opentofu.org/terraform-provider-openstack/openstack" {{\n  version = "{lock}"\n}}\n'
    found = look(SAFE + provider(">= 1.33") + CLUSTER, **{".terraform.lock.hcl": text})
    assert codes(found) == expected
    assert all(lock in finding.message for finding in found)


def test_older_ways_to_ask_for_a_release(look):
    old = 'terraform {\n  backend "pg" {}\n  required_providers {\n    openstack = "~> 1.33"\n  }\n}\n'
    assert look(old + CLUSTER)[0].path == "required_providers.openstack"
    (finding,) = look(SAFE + 'provider "openstack" {\n  version = "1.33.0"\n}\n' + CLUSTER)
    assert finding.path == "provider.openstack.version"


def test_no_constraint_is_a_warning(look):
    (finding,) = look(SAFE + provider("") + CLUSTER)
    assert (finding.code, str(finding.severity)) == ("PROVIDER_NOT_PINNED", "warning")


def test_a_constraint_that_is_none(look):
    (finding,) = look(SAFE + provider("newest") + CLUSTER)
    assert finding.code == "PROVIDER_CONSTRAINT_INVALID"


def test_the_root_and_its_modules_ask_together(look):
    call = 'module "k8s" {\n  source = "./k8s"\n}\n'
    inner = provider(">= 1.40") + CLUSTER
    assert look(SAFE + provider(">= 3.4.0") + call, **{"k8s__main.tf": inner}) == ()
    (finding,) = look(SAFE + call, **{"k8s__main.tf": inner})
    assert finding.path == "k8s: required_providers.openstack"


# node groups at once


def groups(**more):
    return SAFE + PINNED + CLUSTER + "".join(GROUP.format(name=name, more=text) for name, text in more.items())


def test_three_node_groups_without_an_order(look):
    (finding,) = look(groups(a="", b="", c=""))
    assert (finding.code, str(finding.severity)) == ("NODEGROUPS_PARALLEL", "warning")
    for name in "abc":
        assert f"openstack_containerinfra_nodegroup_v1.{name}" in finding.message


def test_a_chain_of_node_groups_is_right(look):
    first = "depends_on = [openstack_containerinfra_nodegroup_v1.a]"
    second = "depends_on = [openstack_containerinfra_nodegroup_v1.b]"
    assert look(groups(a="", b=first, c=second)) == ()
    (finding,) = look(groups(a="", b=first, c=first))
    assert "nodegroup_v1.a," not in finding.message


def test_an_order_by_something_between(look):
    pause = 'resource "time_sleep" "x" {\n  depends_on = [openstack_containerinfra_nodegroup_v1.a]\n}\n'
    assert look(groups(a="", b="depends_on = [time_sleep.x]") + pause) == ()


@pytest.mark.parametrize(
    ("more", "found"),
    [("count = 3", True), ("for_each = var.groups", True), ("count = 1", False), ("count = var.some", True)],
)
def test_one_block_for_many(look, more, found):
    assert codes(look(groups(a=more))) == ["NODEGROUPS_PARALLEL"] * found


def test_groups_of_two_clusters_do_not_meet(look):
    other = GROUP.format(name="b", more="").replace("cluster_v1.demo", "cluster_v1.other")
    assert look(groups(a="") + CLUSTER.replace('"demo" {', '"other" {') + other) == ()


def test_groups_in_a_module_that_is_called_for_each(look):
    call = 'module "groups" {\n  source   = "./group"\n  for_each = var.groups\n}\n'
    (finding,) = look(SAFE + PINNED + CLUSTER + call, **{"group__main.tf": GROUP.format(name="this", more="")})
    assert "module.groups[*].openstack_containerinfra_nodegroup_v1.this" in finding.message


# credentials

SECRET = "openstack_containerinfra_cluster_v1.demo.kubeconfig.raw_config"


def output(value, more=""):
    return SAFE + PINNED + CLUSTER + f'output "kubeconfig" {{\n  value = {value}\n  {more}\n}}\n'


@pytest.mark.parametrize(
    "value",
    [
        SECRET,
        f"nonsensitive({SECRET})",
        'openstack_containerinfra_cluster_v1.demo["a"].kubeconfig["client_key"]',
        f'"config: ${{{SECRET}}}"',
        f"{{ a = {SECRET} }}",
        "{ for name, one in openstack_containerinfra_cluster_v1.demo : name => one.kubeconfig.raw_config }",
    ],
)
def test_an_output_that_prints_the_kubeconfig(look, value):
    (finding,) = look(output(value))
    assert (finding.code, str(finding.severity), finding.path) == ("OUTPUT_NOT_SENSITIVE", "error", "output.kubeconfig")


@pytest.mark.parametrize(
    ("value", "more"),
    [
        (SECRET, "sensitive = true"),
        ("openstack_containerinfra_cluster_v1.demo.api_address", ""),
        ("openstack_containerinfra_cluster_v1.demo.kubeconfig.host", ""),
        ("other_cluster.demo.kubeconfig", ""),
    ],
)
def test_outputs_that_are_right(look, value, more):
    assert look(output(value, more)) == ()


def test_through_a_local_value(look):
    (finding,) = look(output("local.config") + f"locals {{\n  config = base64encode({SECRET})\n}}\n")
    assert finding.code == "OUTPUT_NOT_SENSITIVE"


def test_through_a_module(look):
    call = SAFE + PINNED + 'module "k8s" {\n  source = "./k8s"\n}\noutput "k" {\n  value = module.k8s.config\n}\n'
    inner = CLUSTER + f'output "config" {{\n  value = {SECRET}\n}}\noutput "name" {{\n  value = "x"\n}}\n'
    (finding,) = look(call, **{"k8s__main.tf": inner})
    assert finding.path == "output.k"
    assert look(call.replace("k8s.config", "k8s.name"), **{"k8s__main.tf": inner}) == ()


@pytest.mark.parametrize(
    ("kind", "more", "found"),
    [
        ("local_file", "", True),
        ("local_file", 'file_permission = "0644"', True),
        ("local_file", 'file_permission = "0600"', False),
        ("local_file", 'file_permission = "600"', False),
        ("local_file", "file_permission = var.mode", False),
        ("local_sensitive_file", "", False),
        ("local_sensitive_file", 'file_permission = "0640"', True),
    ],
)
def test_a_file_with_the_kubeconfig(look, kind, more, found):
    file = f'resource "{kind}" "k" {{\n  content  = {SECRET}\n  filename = "config"\n  {more}\n}}\n'
    assert codes(look(SAFE + PINNED + CLUSTER + file)) == ["KUBECONFIG_FILE_READABLE"] * found


def test_a_file_with_something_else(look):
    assert look(SAFE + PINNED + CLUSTER + 'resource "local_file" "k" {\n  content = "x"\n  filename = "y"\n}\n') == ()


def test_a_file_in_a_module_that_is_handed_the_kubeconfig(look):
    call = f'module "file" {{\n  source = "./file"\n  text = {SECRET}\n}}\n'
    inner = 'variable "text" {}\nresource "local_file" "k" {\n  content = var.text\n  filename = "y"\n}\n'
    (finding,) = look(SAFE + PINNED + CLUSTER + call, **{"file__main.tf": inner})
    assert finding.path == "file: local_file.k"


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ("", True),
        ('terraform {\n  backend "local" {}\n}\n', True),
        (SAFE, False),
        ('terraform {\n  cloud {\n    organization = "x"\n  }\n}\n', False),
        ('terraform {\n  encryption {\n    method "aes_gcm" "x" {}\n  }\n}\n', False),
    ],
)
def test_a_state_in_clear_text(look, settings, found):
    result = look(settings + PINNED + CLUSTER)
    assert [(finding.code, str(finding.severity)) for finding in result] == [("STATE_PLAINTEXT", "warning")] * found


# the autoscaler


def scaled(more, labels='{ auto_scaling_enabled = "true" }'):
    return SAFE + PINNED + CLUSTER.replace("}\n", f"  labels = {labels}\n  {more}\n}}\n")


@pytest.mark.parametrize(
    "labels", ['{ auto_scaling_enabled = "true" }', 'merge(var.l, { auto_scaling_enabled = "true" })']
)
def test_a_count_that_an_autoscaler_changes_too(look, labels):
    (finding,) = look(scaled("node_count = 2", labels))
    assert (finding.code, str(finding.severity)) == ("AUTOSCALER_CONFLICT", "warning")
    assert finding.path == "openstack_containerinfra_cluster_v1.demo.node_count"


@pytest.mark.parametrize(
    ("more", "labels"),
    [
        ("node_count = 2\n  lifecycle {\n    ignore_changes = [node_count]\n  }", '{ auto_scaling_enabled = "true" }'),
        ("node_count = 2\n  lifecycle {\n    ignore_changes = all\n  }", '{ auto_scaling_enabled = "true" }'),
        ("", '{ auto_scaling_enabled = "true" }'),
        ("node_count = 2", '{ auto_scaling_enabled = "false" }'),
        ("node_count = 2", "{}"),
    ],
)
def test_counts_that_are_right(look, more, labels):
    assert look(scaled(more, labels)) == ()


def test_the_count_of_a_group_of_a_scaled_cluster(look):
    (finding,) = look(scaled("") + GROUP.format(name="gpu", more="node_count = 2"))
    assert finding.path == "openstack_containerinfra_nodegroup_v1.gpu.node_count"


# the files


def test_json_is_read_too(look):
    data = {
        "terraform": {"required_providers": {"openstack": {"version": "~> 1.47.0"}}, "backend": {"pg": {}}},
        "resource": {"openstack_containerinfra_cluster_v1": {"demo": {"name": "demo"}}},
        "output": {"kubeconfig": {"value": f"${{{SECRET}}}"}},
    }
    found = look(**{"more.tf.json": json.dumps(data)})
    assert sorted(codes(found)) == ["OUTPUT_NOT_SENSITIVE", "PROVIDER_TOO_OLD"]


def test_opentofu_s_own_files_are_read(look, tmp_path):
    assert codes(look(**{"main.tofu": output(SECRET)})) == ["OUTPUT_NOT_SENSITIVE"]


def test_what_terraform_has_downloaded_is_not_looked_at(look):
    assert look(SAFE, **{".terraform__modules__x__main.tf": output(SECRET)}) == ()


def test_a_file_that_is_no_hcl_has_its_line(look):
    with pytest.raises(CannotTell, match="as HCL") as error:
        look('a = {\n  b = \n}\nresource "x"')
    assert "main.tf:2" in error.value.where


@pytest.mark.parametrize("made", [True, False])
def test_nothing_to_look_at_is_no_pass(tmp_path, made):
    folder = tmp_path / "some"
    if made:
        folder.mkdir()
    with pytest.raises(CannotTell, match="no Terraform file" if made else "no such folder"):
        terraform_files.examine(folder)


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "main.tf").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CannotTell, match="cannot read the file"):
        terraform_files.examine(tmp_path)


def test_the_suite_s_own_files_have_no_error():
    found = terraform_files.examine(root() / "terraform").findings
    assert [str(finding) for finding in found if str(finding.severity) == "error"] == []
