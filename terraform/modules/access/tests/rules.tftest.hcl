mock_provider "openstack" {
  mock_data "openstack_networking_port_v2" {
    defaults = {
      all_security_group_ids = ["g1"]
    }
  }
}

variables {
  driver        = "heat"
  node          = { address = "10.0.0.7", floating = false }
  allowed_cidrs = ["192.0.2.0/24"]
}

run "both_ports_for_one_range" {
  assert {
    condition     = toset(values(openstack_networking_secgroup_rule_v2.this)[*].port_range_min) == toset([80, 443])
    error_message = "80 and 443 are opened; got ${jsonencode(keys(openstack_networking_secgroup_rule_v2.this))}."
  }

  assert {
    condition     = output.security_group_id == "g1" && data.openstack_networking_port_v2.worker["worker"].fixed_ip == "10.0.0.7"
    error_message = "the group is found by the worker's port; got '${output.security_group_id}'."
  }
}

run "a_worker_with_a_floating_address" {
  variables {
    node = { address = "203.0.113.9", floating = true }
  }

  assert {
    condition     = data.openstack_networking_floatingip_v2.worker["worker"].address == "203.0.113.9" && output.security_group_id == "g1"
    error_message = "the port is looked for behind the floating address."
  }
}

run "a_given_group_and_both_families" {
  variables {
    node              = { address = null, floating = false }
    security_group_id = "g2"
    ports             = [6443]
    allowed_cidrs     = ["0.0.0.0/0", "::/0"]
  }

  assert {
    condition     = { for name, rule in openstack_networking_secgroup_rule_v2.this : name => rule.ethertype } == { "6443 from 0.0.0.0/0" = "IPv4", "6443 from ::/0" = "IPv6" }
    error_message = "the range tells the family; got ${jsonencode({ for name, rule in openstack_networking_secgroup_rule_v2.this : name => rule.ethertype })}."
  }
}

run "driver_is_not_cluster_api" {
  command = plan

  variables {
    driver = "capi-helm"
  }

  expect_failures = [var.driver]
}

run "security_group_is_null_or_an_id" {
  command = plan

  variables {
    security_group_id = ""
  }

  expect_failures = [var.security_group_id]
}

run "node_has_an_address" {
  command = plan

  variables {
    node = { address = "worker-0", floating = false }
  }

  expect_failures = [var.node]
}

run "a_group_or_a_node" {
  command = plan

  variables {
    node = { address = null, floating = false }
  }

  expect_failures = [output.security_group_id]
}

run "a_worker_in_two_groups" {
  command = plan

  override_data {
    target = data.openstack_networking_port_v2.worker
    values = {
      all_security_group_ids = ["g1", "g3"]
    }
  }

  expect_failures = [data.openstack_networking_port_v2.worker]
}

run "ports_are_ports" {
  command = plan

  variables {
    ports = [70000]
  }

  expect_failures = [var.ports]
}

run "allowed_cidrs_are_not_empty" {
  command = plan

  variables {
    allowed_cidrs = []
  }

  expect_failures = [var.allowed_cidrs]
}

run "allowed_cidrs_are_ranges" {
  command = plan

  variables {
    allowed_cidrs = ["192.0.2.7/24"]
  }

  expect_failures = [var.allowed_cidrs]
}
