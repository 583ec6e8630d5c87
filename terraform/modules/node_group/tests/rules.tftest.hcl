mock_provider "openstack" {
  mock_resource "openstack_containerinfra_nodegroup_v1" {
    defaults = {
      id = "11111111-1111-1111-1111-111111111111/22222222-2222-2222-2222-222222222222"
    }
  }
}

variables {
  cluster_id = "c1"
  name       = "gpu"
  flavor     = "bm.gpu4"
  role       = "worker"
  size       = { count = 2, min = 1, max = 4 }
}

run "a_node_group" {
  command = plan

  assert {
    condition     = openstack_containerinfra_nodegroup_v1.this.node_count == 2 && openstack_containerinfra_nodegroup_v1.this.min_node_count == 1 && openstack_containerinfra_nodegroup_v1.this.max_node_count == 4
    error_message = "counts go through."
  }
}

run "no_bounds_and_no_nodes" {
  command = plan

  variables {
    size = { count = 0 }
  }

  assert {
    condition     = openstack_containerinfra_nodegroup_v1.this.node_count == 0 && openstack_containerinfra_nodegroup_v1.this.max_node_count == null
    error_message = "zero is sent, bounds are left out."
  }
}

run "cluster_id_is_not_empty" {
  command = plan

  variables {
    cluster_id = ""
  }

  expect_failures = [var.cluster_id]
}

run "name_is_lower_case" {
  command = plan

  variables {
    name = "GPU"
  }

  expect_failures = [var.name]
}

run "name_is_not_too_long" {
  command = plan

  variables {
    name = "gggggggggggggggggggg"
  }

  expect_failures = [var.name]
}

run "name_is_not_built_in" {
  command = plan

  variables {
    name = "default-worker"
  }

  expect_failures = [var.name]
}

run "flavor_is_not_empty" {
  command = plan

  variables {
    flavor = ""
  }

  expect_failures = [var.flavor]
}

run "role_is_not_master" {
  command = plan

  variables {
    role = "master"
  }

  expect_failures = [var.role]
}

run "role_is_a_label_value" {
  command = plan

  variables {
    role = "GPU nodes"
  }

  expect_failures = [var.role]
}

run "count_is_not_negative" {
  command = plan

  variables {
    size = { count = -1, min = -1 }
  }

  expect_failures = [var.size]
}

run "count_is_whole" {
  command = plan

  variables {
    size = { count = 1.5 }
  }

  expect_failures = [var.size]
}

run "min_is_not_negative" {
  command = plan

  variables {
    size = { count = 1, min = -1 }
  }

  expect_failures = [var.size]
}

run "max_is_positive" {
  command = plan

  variables {
    size = { count = 0, max = 0 }
  }

  expect_failures = [var.size]
}

run "min_is_not_more_than_count" {
  command = plan

  variables {
    size = { count = 1, min = 2 }
  }

  expect_failures = [var.size]
}

run "count_is_not_more_than_max" {
  command = plan

  variables {
    size = { count = 3, max = 2 }
  }

  expect_failures = [var.size]
}

run "timeout_is_whole" {
  command = plan

  variables {
    timeout = 0
  }

  expect_failures = [var.timeout]
}
