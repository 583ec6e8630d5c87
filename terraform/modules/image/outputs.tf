output "image" {
  description = "Id, name and properties of the image; the properties are null where it was named by its id, which the provider cannot look up."
  value = {
    id         = local.by_id ? var.name : one(concat(values(openstack_images_image_v2.this)[*].id, values(data.openstack_images_image_v2.this)[*].id))
    name       = var.name
    properties = local.by_id ? null : merge(concat(values(openstack_images_image_v2.this)[*].properties, [for found in values(data.openstack_images_image_v2.this) : coalesce(found.properties, {})])...)
  }
}

output "checksum" {
  description = "The checksum that the uploaded file was verified against; null when nothing was uploaded."
  value       = var.file == null ? null : var.checksum
}
