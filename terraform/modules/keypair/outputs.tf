output "name" {
  description = "Name of the key pair, once it is there."
  value       = one(concat(values(openstack_compute_keypair_v2.this)[*].name, values(data.openstack_compute_keypair_v2.this)[*].name))
}
