mock_provider "openstack" {}

variables {
  external = "public"
}

run "the_driver_makes_its_own" {
  command = plan

  assert {
    condition     = output.network_id == null && output.subnet_id == null && output.router_id == null
    error_message = "no network is named; got ${jsonencode(output.network_id)}."
  }
}

run "a_network_that_is_there" {
  variables {
    existing = { network = "provision-net", subnet = "3a3a3a3a-0000-0000-0000-000000000001" }
  }

  assert {
    condition     = output.network_id != null && output.subnet_id != null && length(openstack_networking_network_v2.this) == 0
    error_message = "both are looked up and none is made."
  }
}

run "a_network_with_its_only_subnet" {
  variables {
    existing = { network = "provision-net" }
  }

  assert {
    condition     = output.network_id != null && output.subnet_id == null
    error_message = "the subnet is left to the driver."
  }
}

run "a_network_is_made" {
  variables {
    create = { name = "research", cidr = "10.1.0.0/24", dns = ["192.0.2.53", "2001:db8::53"] }
    mtu    = 8942
  }

  assert {
    condition     = openstack_networking_network_v2.this["research"].mtu == 8942 && openstack_networking_subnet_v2.this["research"].ip_version == 4
    error_message = "the MTU goes through and the range tells the version."
  }

  assert {
    condition     = output.network_id != null && output.subnet_id != null && output.router_id != null
    error_message = "network, subnet and router are made."
  }
}

run "external_is_not_empty" {
  command = plan

  variables {
    external = ""
  }

  expect_failures = [var.external]
}

run "existing_has_a_network" {
  command = plan

  variables {
    existing = { network = "" }
  }

  expect_failures = [var.existing]
}

run "existing_has_the_mtu" {
  command = plan

  variables {
    existing = { network = "provision-net" }
    mtu      = 9000
  }

  expect_failures = [data.openstack_networking_network_v2.fixed]
}

run "create_has_a_plain_name" {
  command = plan

  variables {
    create = { name = "Research net", cidr = "10.1.0.0/24" }
  }

  expect_failures = [var.create]
}

run "create_has_a_range" {
  command = plan

  variables {
    create = { name = "research", cidr = "10.1.0.0" }
  }

  expect_failures = [var.create]
}

run "create_has_name_servers_addresses" {
  command = plan

  variables {
    create = { name = "research", cidr = "10.1.0.0/24", dns = ["dns.example.org"] }
  }

  expect_failures = [var.create]
}

run "mtu_is_in_range" {
  command = plan

  variables {
    mtu = 64
  }

  expect_failures = [var.mtu]
}

run "one_of_create_and_existing" {
  command = plan

  variables {
    create   = { name = "research", cidr = "10.1.0.0/24" }
    existing = { network = "provision-net" }
  }

  expect_failures = [output.network_id]
}
