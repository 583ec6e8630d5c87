variable "cloud" {
  description = "Entry of clouds.yaml to work in."
  type        = string
  nullable    = false

  validation {
    condition     = var.cloud != ""
    error_message = "cloud must name an entry of clouds.yaml; got '${var.cloud}'."
  }
}

# What the module checks is not checked here again.

variable "images" {
  description = <<-EOT
    The images to upload, by name.
    file: path of the image file on this machine; checksum: sha256:... or sha512:... of it.
    properties: os_distro, and kube_version and os_version where the driver reads them.
  EOT
  type = map(object({
    file        = string
    checksum    = string
    disk_format = optional(string, "qcow2")
    properties  = map(string)
  }))
  nullable = false

  validation {
    condition     = alltrue([for image in values(var.images) : coalesce(image.file, "-") != "-" && coalesce(image.checksum, "-") != "-"])
    error_message = "images must have a file and its checksum each; got ${jsonencode(var.images)}."
  }
}
