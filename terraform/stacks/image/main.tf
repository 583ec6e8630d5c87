# Images that are uploaded before the clusters are made of them.

provider "openstack" {
  cloud = var.cloud
}

module "image" {
  source   = "../../modules/image"
  for_each = var.images

  name        = each.key
  file        = each.value.file
  checksum    = each.value.checksum
  disk_format = each.value.disk_format
  properties  = each.value.properties
}
