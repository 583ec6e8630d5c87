mock_provider "openstack" {}

variables {
  name                = "research"
  image               = { id = "0f0e", name = "ubuntu", properties = { os_distro = "ubuntu", kube_version = "v1.36.3" } }
  external_network_id = "e7"
  network_driver      = "calico"
  master_lb_enabled   = false
  floating_ip_enabled = false
  labels              = { monitoring_enabled = "true" }
}

run "a_template_for_bare_metal" {
  command = plan

  assert {
    condition     = openstack_containerinfra_clustertemplate_v1.this.server_type == "vm"
    error_message = "no living Magnum driver takes another server type than vm; got '${openstack_containerinfra_clustertemplate_v1.this.server_type}'."
  }

  assert {
    condition     = openstack_containerinfra_clustertemplate_v1.this.labels["monitoring_enabled"] == "true"
    error_message = "labels go through as strings."
  }
}

run "numbers_and_truth_values_become_strings" {
  command = plan

  variables {
    labels = { auto_healing_enabled = true, boot_volume_size = 20 }
  }

  assert {
    condition     = openstack_containerinfra_clustertemplate_v1.this.labels == tomap({ auto_healing_enabled = "true", boot_volume_size = "20" })
    error_message = "Magnum takes strings; got ${jsonencode(openstack_containerinfra_clustertemplate_v1.this.labels)}."
  }
}

run "the_label_kube_tag_says_the_version_too" {
  command = plan

  variables {
    image  = { id = "0f0e", name = "fcos", properties = { os_distro = "fedora-coreos" } }
    labels = { kube_tag = "v1.28.9-rancher1" }
  }
}

run "name_servers_of_both_families" {
  command = plan

  variables {
    dns_nameserver = "192.0.2.53,2001:db8::53"
  }
}

run "name_starts_with_a_letter" {
  command = plan

  variables {
    name = "1research"
  }

  expect_failures = [var.name]
}

run "name_is_lower_case" {
  command = plan

  variables {
    name = "Research"
  }

  expect_failures = [var.name]
}

run "name_does_not_end_with_a_dash" {
  command = plan

  variables {
    name = "research-"
  }

  expect_failures = [var.name]
}

run "name_is_not_too_long" {
  command = plan

  variables {
    name = "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"
  }

  expect_failures = [var.name]
}

run "image_has_os_distro" {
  command = plan

  variables {
    image = { id = "0f0e", name = "no-distro", properties = { kube_version = "v1.36.3" } }
  }

  expect_failures = [var.image]
}

run "image_or_labels_say_the_version" {
  command = plan

  variables {
    image = { id = "0f0e", name = "no-version", properties = { os_distro = "ubuntu" } }
  }

  expect_failures = [openstack_containerinfra_clustertemplate_v1.this]
}

run "external_network_is_not_empty" {
  command = plan

  variables {
    external_network_id = ""
  }

  expect_failures = [var.external_network_id]
}

run "fixed_network_is_null_or_a_name" {
  command = plan

  variables {
    fixed_network = ""
  }

  expect_failures = [var.fixed_network]
}

run "fixed_subnet_is_null_or_a_name" {
  command = plan

  variables {
    fixed_subnet = ""
  }

  expect_failures = [var.fixed_subnet]
}

run "network_driver_is_known" {
  command = plan

  variables {
    network_driver = "weave"
  }

  expect_failures = [var.network_driver]
}

run "dns_nameserver_is_an_address" {
  command = plan

  variables {
    dns_nameserver = "dns.example.org"
  }

  expect_failures = [var.dns_nameserver]
}

run "label_keys_are_plain_words" {
  command = plan

  variables {
    labels = { Kube-Tag = "v1" }
  }

  expect_failures = [var.labels]
}

run "label_values_are_not_empty" {
  command = plan

  variables {
    labels = { kube_tag = "" }
  }

  expect_failures = [var.labels]
}

run "label_values_are_not_null" {
  command = plan

  variables {
    labels = { kube_tag = null }
  }

  expect_failures = [var.labels]
}

run "label_values_have_no_single_quote" {
  command = plan

  variables {
    labels = { kube_tag = "v1'" }
  }

  expect_failures = [var.labels]
}
