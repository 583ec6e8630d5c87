# Cluster templates, clusters and their node groups, with the key pair and the network that they share.

provider "openstack" {
  cloud = var.cloud
}

locals {
  node_groups = merge([
    for cluster, given in var.clusters : {
      for name, group in given.node_groups : "${cluster}/${name}" => merge(group, { cluster = cluster, name = name })
    }
  ]...)

  # left out: a load balancer where a cluster of the template has more than one control-plane node
  master_lb_enabled = {
    for name, template in var.templates : name => coalesce(
      template.master_lb_enabled,
      anytrue([for cluster in values(var.clusters) : cluster.template == name && cluster.control_plane.count > 1]),
    )
  }

  # Longer than Magnum's own patience, so that Magnum's reason arrives and not the provider's "timeout".
  timeouts = { for name, cluster in var.clusters : name => ceil(cluster.create_timeout * var.time_scale) + 5 }
}

module "image" {
  source   = "../../modules/image"
  for_each = { for template in values(var.templates) : template.image => template.image_properties... }

  name       = each.key
  properties = each.value[0]
}

module "keypair" {
  source = "../../modules/keypair"

  name       = var.keypair.name
  public_key = var.keypair.public_key
}

module "network" {
  source = "../../modules/network"

  external = var.network.external
  existing = var.network.existing
  create   = var.network.create
  mtu      = var.network.mtu
}

module "cluster_template" {
  source   = "../../modules/cluster_template"
  for_each = var.templates

  name                  = each.key
  server_type           = each.value.server_type
  image                 = module.image[each.value.image].image
  external_network_id   = module.network.external_id
  fixed_network         = module.network.network_id
  fixed_subnet          = module.network.subnet_id
  network_driver        = each.value.network_driver
  dns_nameserver        = each.value.dns_nameserver
  master_lb_enabled     = local.master_lb_enabled[each.key]
  floating_ip_enabled   = each.value.floating_ip_enabled
  volume_driver         = each.value.volume_driver
  docker_volume_size    = each.value.docker_volume_size
  docker_storage_driver = each.value.docker_storage_driver
  http_proxy            = each.value.http_proxy
  https_proxy           = each.value.https_proxy
  no_proxy              = each.value.no_proxy
  insecure_registry     = each.value.insecure_registry
  labels                = each.value.labels
}

module "cluster" {
  source   = "../../modules/cluster"
  for_each = var.clusters

  name                 = each.key
  template_id          = module.cluster_template[each.value.template].id
  keypair              = module.keypair.name
  create_timeout       = each.value.create_timeout
  timeout              = local.timeouts[each.key]
  control_plane_count  = each.value.control_plane.count
  control_plane_flavor = data.openstack_compute_flavor_v2.this[each.value.control_plane.flavor].name
  worker_count         = each.value.workers.count
  worker_flavor        = data.openstack_compute_flavor_v2.this[each.value.workers.flavor].name
  labels               = each.value.labels
  merge_labels         = each.value.merge_labels
}

# One at a time within a cluster: a Helm-based driver fails the second of two changes. Terraform cannot say so for the
# instances of one map, hence `-parallelism=1` (the runner sees to it; see README.md for a plain `terraform apply`).
module "node_group" {
  source   = "../../modules/node_group"
  for_each = local.node_groups

  cluster_id = module.cluster[each.value.cluster].id
  name       = each.value.name
  flavor     = data.openstack_compute_flavor_v2.this[each.value.flavor].name
  role       = each.value.role
  size       = { count = each.value.count, min = each.value.min, max = each.value.max }
  timeout    = local.timeouts[each.value.cluster]
}

module "access" {
  source   = "../../modules/access"
  for_each = { for name, cluster in var.clusters : name => cluster.access if cluster.access != null }

  driver            = each.value.driver
  security_group_id = each.value.security_group_id
  ports             = each.value.ports
  allowed_cidrs     = each.value.allowed_cidrs
  node = {
    address  = try(module.cluster[each.key].node_groups["default-worker"].addresses[0], null)
    floating = var.templates[var.clusters[each.key].template].floating_ip_enabled
  }
}
