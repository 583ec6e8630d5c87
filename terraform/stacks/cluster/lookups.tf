# Each look-up has the looked-up name as its key, because the provider's "returned no results" does not say it.

locals {
  uuid = "^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$"

  flavors = toset(concat(
    [var.cluster.control_plane.flavor, var.cluster.workers.flavor],
    values(var.node_groups)[*].flavor,
  ))
}

data "openstack_networking_network_v2" "external" {
  for_each = toset([var.template.external_network])

  name       = can(regex(local.uuid, each.key)) ? null : each.key
  network_id = can(regex(local.uuid, each.key)) ? each.key : null
  external   = true
}

data "openstack_compute_flavor_v2" "this" {
  for_each = local.flavors

  name = each.key

  lifecycle {
    postcondition {
      condition     = can(tonumber(lookup(self.extra_specs, "magflow:gpus", "0")))
      error_message = "flavor '${each.key}' must have a number as its extra spec magflow:gpus; got '${lookup(self.extra_specs, "magflow:gpus", "0")}'."
    }
  }
}

data "openstack_compute_keypair_v2" "this" {
  name = var.cluster.keypair
}
