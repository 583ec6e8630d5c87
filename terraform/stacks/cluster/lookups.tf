# Each look-up has the looked-up name as its key, because the provider's "returned no results" does not say it.

locals {
  flavors = toset(concat(
    values(var.clusters)[*].control_plane.flavor,
    values(var.clusters)[*].workers.flavor,
    values(local.node_groups)[*].flavor,
  ))
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
