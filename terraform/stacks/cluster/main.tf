provider "openstack" {
  cloud = var.cloud
}

locals {
  master_lb_enabled = coalesce(var.template.master_lb_enabled, var.cluster.control_plane.count > 1)
  total_workers     = sum(concat([var.cluster.workers.count], values(var.node_groups)[*].count))
}

module "image" {
  source = "../../modules/image"

  name = var.template.image
}

module "cluster_template" {
  source = "../../modules/cluster_template"

  name                = var.template.name
  image               = module.image.image
  external_network_id = data.openstack_networking_network_v2.external[var.template.external_network].id
  fixed_network       = var.template.fixed_network
  fixed_subnet        = var.template.fixed_subnet
  network_driver      = var.template.network_driver
  dns_nameserver      = var.template.dns_nameserver
  master_lb_enabled   = local.master_lb_enabled
  floating_ip_enabled = var.template.floating_ip_enabled
  labels              = var.template.labels
}

module "cluster" {
  source = "../../modules/cluster"

  name                 = var.cluster.name
  template_id          = module.cluster_template.id
  keypair              = data.openstack_compute_keypair_v2.this.name
  create_timeout       = var.cluster.create_timeout
  control_plane_count  = var.cluster.control_plane.count
  control_plane_flavor = data.openstack_compute_flavor_v2.this[var.cluster.control_plane.flavor].name
  worker_count         = var.cluster.workers.count
  worker_flavor        = data.openstack_compute_flavor_v2.this[var.cluster.workers.flavor].name
  labels               = var.cluster.labels
}

# One at a time: a Helm-based driver fails the second of two changes. Terraform cannot say so for the instances of one
# map, hence `-parallelism=1` (the runner's default; see README.md for a plain `terraform apply`).
module "node_group" {
  source   = "../../modules/node_group"
  for_each = var.node_groups

  cluster_id = module.cluster.id
  name       = each.key
  flavor     = data.openstack_compute_flavor_v2.this[each.value.flavor].name
  role       = each.value.role
  size       = { count = each.value.count, min = each.value.min, max = each.value.max }
}
