output "facts" {
  description = "The group as Magnum holds it; neither the provider nor the Cluster API driver gives the nodes' addresses."
  value = {
    id        = split("/", openstack_containerinfra_nodegroup_v1.this.id)[1]
    role      = openstack_containerinfra_nodegroup_v1.this.role
    flavor    = openstack_containerinfra_nodegroup_v1.this.flavor_id
    count     = openstack_containerinfra_nodegroup_v1.this.node_count
    addresses = []
  }
}
