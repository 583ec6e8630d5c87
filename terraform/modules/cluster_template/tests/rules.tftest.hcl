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
    error_message = "bare metal too is vm; got '${openstack_containerinfra_clustertemplate_v1.this.server_type}'."
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

run "an_image_by_its_id" {
  command = plan

  variables {
    image = { id = "0f0e", name = "0f0e", properties = null }
  }
}

run "proxies_and_volumes_of_a_heat_cluster" {
  command = plan

  variables {
    server_type           = "bm"
    flavor                = "bm.cpu"
    master_flavor         = "bm.control"
    volume_driver         = "cinder"
    docker_volume_size    = 20
    docker_storage_driver = "overlay2"
    http_proxy            = "http://proxy.example.org:3128"
    https_proxy           = "http://proxy.example.org:3128"
    no_proxy              = "10.0.0.0/8,.example.org"
    insecure_registry     = "registry.example.org:5000"
  }
}

run "server_type_is_known" {
  command = plan

  variables {
    server_type = "metal"
  }

  expect_failures = [var.server_type]
}

run "flavor_is_null_or_a_name" {
  command = plan

  variables {
    flavor = ""
  }

  expect_failures = [var.flavor]
}

run "master_flavor_is_null_or_a_name" {
  command = plan

  variables {
    master_flavor = ""
  }

  expect_failures = [var.master_flavor]
}

run "volume_driver_is_known" {
  command = plan

  variables {
    volume_driver = "rexray"
  }

  expect_failures = [var.volume_driver]
}

run "docker_volume_size_is_positive" {
  command = plan

  variables {
    docker_volume_size = 0
  }

  expect_failures = [var.docker_volume_size]
}

run "docker_storage_driver_is_known" {
  command = plan

  variables {
    docker_storage_driver = "btrfs"
  }

  expect_failures = [var.docker_storage_driver]
}

run "http_proxy_has_no_password" {
  command = plan

  variables {
    http_proxy = "http://me:secret@proxy.example.org:3128"
  }

  expect_failures = [var.http_proxy]
}

run "https_proxy_has_no_password" {
  command = plan

  variables {
    https_proxy = "http://me:secret@proxy.example.org:3128"
  }

  expect_failures = [var.https_proxy]
}

run "no_proxy_has_no_spaces" {
  command = plan

  variables {
    no_proxy = "10.0.0.0/8, .example.org"
  }

  expect_failures = [var.no_proxy]
}

run "insecure_registry_is_a_host" {
  command = plan

  variables {
    insecure_registry = "http://registry.example.org"
  }

  expect_failures = [var.insecure_registry]
}
