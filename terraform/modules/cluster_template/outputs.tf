output "id" {
  description = "Magnum's id of the template."
  value       = openstack_containerinfra_clustertemplate_v1.this.id
}

output "labels" {
  description = "The labels as Magnum holds them."
  value       = openstack_containerinfra_clustertemplate_v1.this.labels
}
