# Looks up a Glance image by its name or id, or uploads one from a file.

locals {
  by_id    = can(regex("^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$", var.name))
  by_name  = var.file == null && !local.by_id
  mark     = var.checksum == null ? {} : { magflow_checksum = var.checksum }
  carried  = merge(var.properties, local.mark)
  checksum = startswith(coalesce(var.checksum, "-"), "sha512:") ? try("sha512:${filesha512(var.file)}", "no such file") : try("sha256:${filesha256(var.file)}", "no such file")
}

# The name is the key, because the provider's "returned no results" does not say what it looked for.
data "openstack_images_image_v2" "this" {
  for_each = toset(local.by_name ? [var.name] : [])

  name        = each.key
  properties  = local.carried
  most_recent = true
}

# The provider holds every property that begins with os_ for Glance's own and leaves it as it is. So a change of one
# makes a new image, as a change of the file does.
resource "terraform_data" "content" {
  for_each = toset(var.file == null ? [] : [var.name])

  input = {
    checksum   = var.checksum
    properties = { for key, value in local.carried : key => value if startswith(key, "os_") }
  }
}

resource "openstack_images_image_v2" "this" {
  for_each = toset(var.file == null ? [] : [var.name])

  name             = each.key
  local_file_path  = var.file
  container_format = "bare"
  disk_format      = var.disk_format
  visibility       = "private"
  properties       = local.carried

  timeouts {
    create = "${var.timeout}m"
  }

  lifecycle {
    precondition {
      condition     = local.checksum == var.checksum
      error_message = "file '${var.file}' must have the checksum ${coalesce(var.checksum, "that is given with it")}; got ${local.checksum}."
    }

    precondition {
      condition     = lookup(var.properties, "os_distro", "") != ""
      error_message = "properties must have os_distro, by which Magnum finds the driver; got ${jsonencode(var.properties)}."
    }

    create_before_destroy = true
    replace_triggered_by  = [terraform_data.content[each.key]]
  }
}
