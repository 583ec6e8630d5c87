# Looks up a Nova key pair, or makes it from a public key.

# The name is the key, because the provider's "returned no results" does not say what it looked for.
data "openstack_compute_keypair_v2" "this" {
  for_each = toset(var.public_key == null ? [var.name] : [])

  name = each.key
}

resource "openstack_compute_keypair_v2" "this" {
  for_each = toset(var.public_key == null ? [] : [var.name])

  name       = each.key
  public_key = trimspace(var.public_key)
}
