output "image" {
  description = "Id, name and properties of the image."
  value = {
    id         = data.openstack_images_image_v2.this[var.name].id
    name       = var.name
    properties = coalesce(data.openstack_images_image_v2.this[var.name].properties, {})
  }
}
