# A node group beside the two that Magnum makes with the cluster.

resource "openstack_containerinfra_nodegroup_v1" "this" {
  cluster_id     = var.cluster_id
  name           = var.name
  flavor_id      = var.flavor
  role           = var.role
  node_count     = var.size.count
  min_node_count = var.size.min
  max_node_count = var.size.max

  timeouts {
    create = "${var.timeout}m"
    update = "${var.timeout}m"
    delete = "${var.timeout}m"
  }
}
