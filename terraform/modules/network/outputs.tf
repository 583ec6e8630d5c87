output "external_id" {
  description = "Id of the external network."
  value       = data.openstack_networking_network_v2.external[var.external].id
}

output "network_id" {
  description = "Id of the machines' network; null where the driver makes its own."
  value       = one(concat(values(openstack_networking_network_v2.this)[*].id, values(data.openstack_networking_network_v2.fixed)[*].id))

  precondition {
    condition     = var.create == null || var.existing == null
    error_message = "create must be null when existing is given; got ${jsonencode(var.create)}."
  }
}

output "subnet_id" {
  description = "Id of the machines' subnet, once its router is there; null where it was not given."
  value       = one(concat(values(openstack_networking_router_interface_v2.this)[*].subnet_id, values(data.openstack_networking_subnet_v2.fixed)[*].id))
}

output "router_id" {
  description = "Id of the router that was made; null when none was."
  value       = one(values(openstack_networking_router_v2.this)[*].id)
}
