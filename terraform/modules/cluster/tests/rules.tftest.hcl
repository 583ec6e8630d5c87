mock_provider "openstack" {
  mock_resource "openstack_containerinfra_cluster_v1" {
    defaults = {
      kubeconfig = { raw_config = "apiVersion: v1" }
    }
  }
}

variables {
  name                 = "research"
  template_id          = "t1"
  keypair              = "magflow"
  create_timeout       = 60
  control_plane_count  = 1
  control_plane_flavor = "bm.control"
  worker_count         = 2
  worker_flavor        = "bm.cpu"
}

run "a_cluster" {
  command = plan

  assert {
    condition     = openstack_containerinfra_cluster_v1.this.node_count == 2 && openstack_containerinfra_cluster_v1.this.master_count == 1
    error_message = "counts go through."
  }

  assert {
    condition     = openstack_containerinfra_cluster_v1.this.timeouts.create == "65m"
    error_message = "the provider waits longer than Magnum; got '${openstack_containerinfra_cluster_v1.this.timeouts.create}'."
  }
}

run "no_default_worker" {
  command = plan

  variables {
    worker_count = 0
  }

  assert {
    condition     = openstack_containerinfra_cluster_v1.this.node_count == 0
    error_message = "zero is sent, not left out."
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

run "name_is_not_too_long" {
  command = plan

  variables {
    name = "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"
  }

  expect_failures = [var.name]
}

run "template_id_is_not_empty" {
  command = plan

  variables {
    template_id = ""
  }

  expect_failures = [var.template_id]
}

run "keypair_is_not_empty" {
  command = plan

  variables {
    keypair = ""
  }

  expect_failures = [var.keypair]
}

run "create_timeout_is_positive" {
  command = plan

  variables {
    create_timeout = 0
  }

  expect_failures = [var.create_timeout]
}

run "create_timeout_is_whole" {
  command = plan

  variables {
    create_timeout = 1.5
  }

  expect_failures = [var.create_timeout]
}

run "control_plane_is_not_empty" {
  command = plan

  variables {
    control_plane_count = 0
  }

  expect_failures = [var.control_plane_count]
}

run "control_plane_is_odd" {
  command = plan

  variables {
    control_plane_count = 2
  }

  expect_failures = [var.control_plane_count]
}

run "control_plane_flavor_is_not_empty" {
  command = plan

  variables {
    control_plane_flavor = ""
  }

  expect_failures = [var.control_plane_flavor]
}

run "worker_count_is_not_negative" {
  command = plan

  variables {
    worker_count = -1
  }

  expect_failures = [var.worker_count]
}

run "worker_count_is_whole" {
  command = plan

  variables {
    worker_count = 1.5
  }

  expect_failures = [var.worker_count]
}

run "worker_flavor_is_not_empty" {
  command = plan

  variables {
    worker_flavor = ""
  }

  expect_failures = [var.worker_flavor]
}

run "labels_are_null_or_something" {
  command = plan

  variables {
    labels = {}
  }

  expect_failures = [var.labels]
}

run "labels_of_its_own_are_added" {
  command = plan

  variables {
    labels       = { max_node_count = "6" }
    merge_labels = true
    timeout      = 300
  }

  assert {
    condition     = openstack_containerinfra_cluster_v1.this.merge_labels && openstack_containerinfra_cluster_v1.this.timeouts.delete == "300m"
    error_message = "merge_labels and the timeout go through."
  }
}

run "timeout_is_whole" {
  command = plan

  variables {
    timeout = 0
  }

  expect_failures = [var.timeout]
}
