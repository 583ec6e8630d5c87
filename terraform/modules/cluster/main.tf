# A Magnum cluster with the two node groups that Magnum makes itself.

locals {
  timeout = coalesce(var.timeout, var.create_timeout + 5)
}

resource "openstack_containerinfra_cluster_v1" "this" {
  name                = var.name
  cluster_template_id = var.template_id
  keypair             = var.keypair
  create_timeout      = var.create_timeout
  master_count        = var.control_plane_count
  master_flavor       = var.control_plane_flavor
  node_count          = var.worker_count
  flavor              = var.worker_flavor
  labels              = var.labels
  merge_labels        = var.labels == null ? null : var.merge_labels

  # Longer than Magnum's own patience, so that Magnum's reason arrives and not the provider's "timeout".
  timeouts {
    create = "${local.timeout}m"
    update = "${local.timeout}m"
    delete = "${local.timeout}m"
  }
}

data "openstack_containerinfra_nodegroup_v1" "built_in" {
  for_each = toset(["default-master", "default-worker"])

  cluster_id = openstack_containerinfra_cluster_v1.this.id
  name       = each.key
}
