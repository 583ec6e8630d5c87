mock_provider "openstack" {
  mock_data "openstack_compute_flavor_v2" {
    defaults = {
      extra_specs = { "magflow:gpus" = "4" }
    }
  }

  mock_resource "openstack_containerinfra_nodegroup_v1" {
    defaults = {
      id = "11111111-1111-1111-1111-111111111111/22222222-2222-2222-2222-222222222222"
    }
  }

  mock_resource "openstack_containerinfra_cluster_v1" {
    defaults = {
      api_address = "https://203.0.113.7:6443"
      coe_version = "v1.36.3"
      kubeconfig  = { raw_config = "apiVersion: v1" }
    }
  }
}

# A mocked provider fills computed attributes only, and an image's properties are not.
override_module {
  target = module.image
  outputs = {
    image = {
      id         = "0f0e"
      name       = "ubuntu"
      properties = { os_distro = "ubuntu", kube_version = "v1.36.3" }
    }
  }
}

variables {
  cloud       = "sandbox"
  template    = { name = "research", image = "ubuntu", external_network = "public", network_driver = "calico", labels = { monitoring_enabled = "true" } }
  cluster     = { name = "research", keypair = "magflow", create_timeout = 60, control_plane = { count = 1, flavor = "bm.control" }, workers = { count = 2, flavor = "bm.cpu" } }
  node_groups = { gpu = { flavor = "bm.gpu4", count = 1 } }
}

run "facts_and_kubeconfig" {
  assert {
    condition     = output.facts.cluster.api_address == "https://203.0.113.7:6443" && output.facts.cluster.kubernetes == "v1.36.3"
    error_message = "facts name the API and its version; got ${jsonencode(output.facts.cluster)}."
  }

  assert {
    condition     = toset(keys(output.facts.node_groups)) == toset(["default-master", "default-worker", "gpu"])
    error_message = "facts hold every group; got ${jsonencode(keys(output.facts.node_groups))}."
  }

  assert {
    condition     = output.facts.node_groups.gpu.gpus == 4 && output.facts.node_groups.gpu.id == "22222222-2222-2222-2222-222222222222"
    error_message = "a group has its flavor's GPUs and its own id; got ${jsonencode(output.facts.node_groups.gpu)}."
  }

  assert {
    condition     = output.facts.labels_sent == tomap({ monitoring_enabled = "true" })
    error_message = "facts say the labels; got ${jsonencode(output.facts.labels_sent)}."
  }

  assert {
    condition     = issensitive(output.kubeconfig)
    error_message = "the kubeconfig is sensitive."
  }
}

run "no_default_worker_but_a_group" {
  command = plan

  variables {
    cluster = { name = "research", keypair = "magflow", create_timeout = 60, control_plane = { count = 1, flavor = "bm.control" }, workers = { count = 0, flavor = "bm.cpu" } }
  }
}

run "three_control_plane_nodes_get_a_load_balancer" {
  command = plan

  variables {
    cluster = { name = "research", keypair = "magflow", create_timeout = 60, control_plane = { count = 3, flavor = "bm.control" }, workers = { count = 1, flavor = "bm.cpu" } }
  }

  assert {
    condition     = local.master_lb_enabled
    error_message = "Magnum refuses more than one control-plane node without it."
  }
}

run "flavor_has_a_number_of_gpus" {
  command = plan

  override_data {
    target = data.openstack_compute_flavor_v2.this
    values = {
      extra_specs = { "magflow:gpus" = "some" }
    }
  }

  expect_failures = [data.openstack_compute_flavor_v2.this]
}

run "cloud_is_not_empty" {
  command = plan

  variables {
    cloud = ""
  }

  expect_failures = [var.cloud]
}

run "external_network_is_not_empty" {
  command = plan

  variables {
    template = { name = "research", image = "ubuntu", external_network = "", network_driver = "calico", labels = { monitoring_enabled = "true" } }
  }

  expect_failures = [var.template]
}

run "keypair_is_not_empty" {
  command = plan

  variables {
    cluster = { name = "research", keypair = "", create_timeout = 60, control_plane = { count = 1, flavor = "bm.control" }, workers = { count = 2, flavor = "bm.cpu" } }
  }

  expect_failures = [var.cluster]
}

run "control_plane_flavor_is_not_empty" {
  command = plan

  variables {
    cluster = { name = "research", keypair = "magflow", create_timeout = 60, control_plane = { count = 1, flavor = "" }, workers = { count = 2, flavor = "bm.cpu" } }
  }

  expect_failures = [var.cluster]
}

run "worker_flavor_is_not_empty" {
  command = plan

  variables {
    cluster = { name = "research", keypair = "magflow", create_timeout = 60, control_plane = { count = 1, flavor = "bm.control" }, workers = { count = 2, flavor = "" } }
  }

  expect_failures = [var.cluster]
}

run "group_flavor_is_not_empty" {
  command = plan

  variables {
    node_groups = { gpu = { flavor = "", count = 1 } }
  }

  expect_failures = [var.node_groups]
}

run "at_least_one_worker" {
  command = plan

  variables {
    cluster     = { name = "research", keypair = "magflow", create_timeout = 60, control_plane = { count = 1, flavor = "bm.control" }, workers = { count = 0, flavor = "bm.cpu" } }
    node_groups = { gpu = { flavor = "bm.gpu4", count = 0 } }
  }

  expect_failures = [output.facts]
}

run "more_control_plane_nodes_need_a_load_balancer" {
  command = plan

  variables {
    cluster  = { name = "research", keypair = "magflow", create_timeout = 60, control_plane = { count = 3, flavor = "bm.control" }, workers = { count = 2, flavor = "bm.cpu" } }
    template = { name = "research", image = "ubuntu", external_network = "public", network_driver = "calico", labels = { monitoring_enabled = "true" }, master_lb_enabled = false }
  }

  expect_failures = [output.facts]
}
