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
      api_address    = "https://203.0.113.7:6443"
      coe_version    = "v1.36.3"
      kubeconfig     = { raw_config = "apiVersion: v1" }
      node_addresses = ["10.0.0.7"]
    }
  }

  mock_data "openstack_networking_port_v2" {
    defaults = {
      all_security_group_ids = ["g1"]
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
  cloud   = "sandbox"
  keypair = { name = "magflow" }
  network = { external = "public" }
  templates = {
    research = { image = "ubuntu", network_driver = "calico", labels = { monitoring_enabled = "true" } }
  }
  clusters = {
    research = {
      template       = "research"
      create_timeout = 60
      control_plane  = { count = 1, flavor = "bm.control" }
      workers        = { count = 2, flavor = "bm.cpu" }
      node_groups    = { gpu = { flavor = "bm.gpu4", count = 1 } }
    }
  }
}

run "facts_and_kubeconfig" {
  assert {
    condition     = output.facts.clusters.research.api_address == "https://203.0.113.7:6443" && output.facts.clusters.research.kubernetes == "v1.36.3"
    error_message = "facts name the API and its version; got ${jsonencode(output.facts.clusters.research)}."
  }

  assert {
    condition     = toset(keys(output.facts.clusters.research.node_groups)) == toset(["default-master", "default-worker", "gpu"])
    error_message = "facts hold every group; got ${jsonencode(keys(output.facts.clusters.research.node_groups))}."
  }

  assert {
    condition     = output.facts.clusters.research.node_groups.gpu.gpus == 4 && output.facts.clusters.research.node_groups.gpu.id == "22222222-2222-2222-2222-222222222222"
    error_message = "a group has its flavor's GPUs and its own id; got ${jsonencode(output.facts.clusters.research.node_groups.gpu)}."
  }

  assert {
    condition     = output.facts.clusters.research.labels_sent == tomap({ monitoring_enabled = "true" })
    error_message = "facts say the labels; got ${jsonencode(output.facts.clusters.research.labels_sent)}."
  }

  assert {
    condition     = issensitive(output.kubeconfigs) && nonsensitive(output.kubeconfigs["research"]) == "apiVersion: v1"
    error_message = "the kubeconfigs are sensitive."
  }
}

run "two_clusters_of_one_template" {
  variables {
    clusters = {
      research = { template = "research", create_timeout = 60, control_plane = { count = 3, flavor = "bm.control" }, workers = { count = 1, flavor = "bm.cpu" } }
      teaching = {
        template       = "research"
        create_timeout = 60
        control_plane  = { count = 1, flavor = "bm.control" }
        workers        = { count = 0, flavor = "bm.cpu" }
        node_groups    = { gpu = { flavor = "bm.gpu4", count = 1 }, cpu = { flavor = "bm.cpu", count = 1 } }
      }
    }
    time_scale = 1.5
  }

  assert {
    condition     = toset(keys(module.node_group)) == toset(["teaching/cpu", "teaching/gpu"]) && local.master_lb_enabled["research"]
    error_message = "a group belongs to its cluster, and three control-plane nodes get a load balancer; got ${jsonencode(keys(module.node_group))}."
  }

  assert {
    condition     = local.timeouts["teaching"] == 95
    error_message = "Terraform waits longer than Magnum; got ${local.timeouts["teaching"]}."
  }
}

run "ports_of_a_heat_cluster" {
  variables {
    clusters = {
      research = {
        template       = "research"
        create_timeout = 60
        control_plane  = { count = 1, flavor = "bm.control" }
        workers        = { count = 1, flavor = "bm.cpu" }
        access         = { driver = "heat", allowed_cidrs = ["192.0.2.0/24"] }
      }
    }
  }

  assert {
    condition     = module.access["research"].security_group_id == "g1" && length(module.access["research"].openings) == 2
    error_message = "the group is found by the worker's address; got '${module.access["research"].security_group_id}'."
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

run "keypair_is_not_empty" {
  command = plan

  variables {
    keypair = { name = "" }
  }

  expect_failures = [var.keypair]
}

run "external_network_is_not_empty" {
  command = plan

  variables {
    network = { external = "" }
  }

  expect_failures = [var.network]
}

run "templates_are_not_empty" {
  command = plan

  variables {
    templates = {}
    clusters  = {}
  }

  expect_failures = [var.templates]
}

run "a_cluster_names_a_template" {
  command = plan

  variables {
    clusters = {
      research = { template = "teaching", create_timeout = 60, control_plane = { count = 1, flavor = "bm.control" }, workers = { count = 1, flavor = "bm.cpu" } }
    }
  }

  expect_failures = [var.clusters]
}

run "at_least_one_worker" {
  command = plan

  variables {
    clusters = {
      research = {
        template       = "research"
        create_timeout = 60
        control_plane  = { count = 1, flavor = "bm.control" }
        workers        = { count = 0, flavor = "bm.cpu" }
        node_groups    = { gpu = { flavor = "bm.gpu4", count = 0 } }
      }
    }
  }

  expect_failures = [var.clusters]
}

run "every_group_has_a_flavor" {
  command = plan

  variables {
    clusters = {
      research = {
        template       = "research"
        create_timeout = 60
        control_plane  = { count = 1, flavor = "bm.control" }
        workers        = { count = 1, flavor = "bm.cpu" }
        node_groups    = { gpu = { flavor = "", count = 1 } }
      }
    }
  }

  expect_failures = [var.clusters]
}

run "time_scale_is_positive" {
  command = plan

  variables {
    time_scale = 0
  }

  expect_failures = [var.time_scale]
}

run "more_control_plane_nodes_need_a_load_balancer" {
  command = plan

  variables {
    templates = {
      research = { image = "ubuntu", network_driver = "calico", labels = { monitoring_enabled = "true" }, master_lb_enabled = false }
    }
    clusters = {
      research = { template = "research", create_timeout = 60, control_plane = { count = 3, flavor = "bm.control" }, workers = { count = 1, flavor = "bm.cpu" } }
    }
  }

  expect_failures = [output.facts]
}
