output "security_group_id" {
  description = "Id of the group that has the rules."
  value       = local.searched ? one(data.openstack_networking_port_v2.worker["worker"].all_security_group_ids) : var.security_group_id

  precondition {
    condition     = var.security_group_id != null || var.node.address != null
    error_message = "node.address must be given when security_group_id is null; got ${jsonencode(var.node)}."
  }
}

output "openings" {
  description = "Every port with the range that may reach it."
  value       = sort(keys(local.openings))
}
