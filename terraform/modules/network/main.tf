# The networks of the machines: looks up the external one and one that is there, or makes a network, a subnet and a
# router to the external network. Without both the driver makes its own.

locals {
  uuid = "^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$"
  made = toset(var.create == null ? [] : [var.create.name])
}

# Each look-up has the looked-up name as its key, because the provider's "returned no results" does not say it.
data "openstack_networking_network_v2" "external" {
  for_each = toset([var.external])

  name       = can(regex(local.uuid, each.key)) ? null : each.key
  network_id = can(regex(local.uuid, each.key)) ? each.key : null
  external   = true
}

data "openstack_networking_network_v2" "fixed" {
  for_each = toset(var.existing == null ? [] : [var.existing.network])

  name       = can(regex(local.uuid, each.key)) ? null : each.key
  network_id = can(regex(local.uuid, each.key)) ? each.key : null

  lifecycle {
    postcondition {
      condition     = var.mtu == null || var.mtu == self.mtu
      error_message = "network '${each.key}' must have the MTU ${coalesce(var.mtu, 0)}; got ${coalesce(self.mtu, 0)}."
    }
  }
}

data "openstack_networking_subnet_v2" "fixed" {
  for_each = toset(try(var.existing.subnet, null) == null ? [] : [var.existing.subnet])

  name       = can(regex(local.uuid, each.key)) ? null : each.key
  subnet_id  = can(regex(local.uuid, each.key)) ? each.key : null
  network_id = data.openstack_networking_network_v2.fixed[var.existing.network].id
}

resource "openstack_networking_network_v2" "this" {
  for_each = local.made

  name           = each.key
  mtu            = var.mtu
  admin_state_up = true
}

resource "openstack_networking_subnet_v2" "this" {
  for_each = local.made

  name            = each.key
  network_id      = openstack_networking_network_v2.this[each.key].id
  cidr            = var.create.cidr
  ip_version      = strcontains(var.create.cidr, ":") ? 6 : 4
  dns_nameservers = var.create.dns
}

resource "openstack_networking_router_v2" "this" {
  for_each = local.made

  name                = each.key
  external_network_id = data.openstack_networking_network_v2.external[var.external].id
}

resource "openstack_networking_router_interface_v2" "this" {
  for_each = local.made

  router_id = openstack_networking_router_v2.this[each.key].id
  subnet_id = openstack_networking_subnet_v2.this[each.key].id
}
