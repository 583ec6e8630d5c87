# The name is the key, because the provider's "returned no results" does not say what it looked for.
data "openstack_images_image_v2" "this" {
  for_each = toset([var.name])

  name        = each.key
  most_recent = true
}
