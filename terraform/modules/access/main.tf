# Opens ports of a Heat cluster's workers, as rules in the stack's own worker security group. The group is given, or
# found by a worker's address: Heat gives it a name that cannot be known beforehand.

locals {
  searched = var.security_group_id == null
  floating = toset(local.searched && var.node.floating ? ["worker"] : [])
  openings = {
    for opening in setproduct(var.ports, var.allowed_cidrs) :
    "${opening[0]} from ${opening[1]}" => { port = tonumber(opening[0]), cidr = opening[1] }
  }
}

data "openstack_networking_floatingip_v2" "worker" {
  for_each = local.floating

  address = var.node.address
}

data "openstack_networking_port_v2" "worker" {
  for_each = toset(local.searched ? ["worker"] : [])

  fixed_ip = var.node.floating ? data.openstack_networking_floatingip_v2.worker["worker"].fixed_ip : var.node.address

  lifecycle {
    postcondition {
      condition     = length(self.all_security_group_ids) == 1
      error_message = "the port of ${coalesce(var.node.address, "the worker")} must be in one security group, or security_group_id be given; got ${jsonencode(self.all_security_group_ids)}."
    }
  }
}

resource "openstack_networking_secgroup_rule_v2" "this" {
  for_each = local.openings

  security_group_id = local.searched ? one(data.openstack_networking_port_v2.worker["worker"].all_security_group_ids) : var.security_group_id
  description       = "magflow: port ${each.key}"
  direction         = "ingress"
  ethertype         = strcontains(each.value.cidr, ":") ? "IPv6" : "IPv4"
  protocol          = "tcp"
  port_range_min    = each.value.port
  port_range_max    = each.value.port
  remote_ip_prefix  = each.value.cidr
}
