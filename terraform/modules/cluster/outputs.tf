output "id" {
  description = "Magnum's id of the cluster."
  value       = openstack_containerinfra_cluster_v1.this.id
}

output "name" {
  description = "Name of the cluster."
  value       = openstack_containerinfra_cluster_v1.this.name
}

output "api_address" {
  description = "URL of the cluster's Kubernetes API."
  value       = openstack_containerinfra_cluster_v1.this.api_address
}

output "kubernetes" {
  description = "Kubernetes version that Magnum reports (`coe_version`)."
  value       = openstack_containerinfra_cluster_v1.this.coe_version
}

output "labels" {
  description = "The cluster's own labels as Magnum holds them."
  value       = openstack_containerinfra_cluster_v1.this.labels
}

output "node_groups" {
  description = "The two groups that Magnum makes itself."
  value = {
    default-master = {
      id        = data.openstack_containerinfra_nodegroup_v1.built_in["default-master"].id
      role      = "master"
      flavor    = openstack_containerinfra_cluster_v1.this.master_flavor
      count     = openstack_containerinfra_cluster_v1.this.master_count
      addresses = openstack_containerinfra_cluster_v1.this.master_addresses
    }
    default-worker = {
      id        = data.openstack_containerinfra_nodegroup_v1.built_in["default-worker"].id
      role      = "worker"
      flavor    = openstack_containerinfra_cluster_v1.this.flavor
      count     = openstack_containerinfra_cluster_v1.this.node_count
      addresses = openstack_containerinfra_cluster_v1.this.node_addresses
    }
  }
}

output "kubeconfig" {
  description = "Kubeconfig with an administrator's client certificate."
  value       = openstack_containerinfra_cluster_v1.this.kubeconfig["raw_config"]
  sensitive   = true
}
