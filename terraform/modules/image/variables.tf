variable "name" {
  description = "Name or id of the Glance image; of several with this name the newest is taken. With `file` the name of the new one."
  type        = string
  nullable    = false

  validation {
    condition     = var.name != ""
    error_message = "name must be the name or id of a Glance image; got '${var.name}'."
  }
}

variable "file" {
  description = "Image file on this machine to upload; null: the image is there."
  type        = string
  default     = null

  validation {
    condition     = var.file != ""
    error_message = "file must be null or the path of an image file; got ''."
  }
}

variable "checksum" {
  description = "Of the file: sha256:... or sha512:...; it is verified before the upload, and kept as the property magflow_checksum. Without `file`: an image with that property is looked for."
  type        = string
  default     = null

  validation {
    condition     = var.checksum == null || can(regex("^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$", var.checksum))
    error_message = "checksum must be null, sha256: with 64 or sha512: with 128 hexadecimal digits; got '${coalesce(var.checksum, "null")}'."
  }
}

variable "disk_format" {
  description = "Format of the file: qcow2 or raw."
  type        = string
  default     = "qcow2"
  nullable    = false

  validation {
    condition     = contains(["qcow2", "raw"], var.disk_format)
    error_message = "disk_format must be qcow2 or raw; got '${var.disk_format}'."
  }
}

variable "properties" {
  description = "Properties of the new image, os_distro among them (kube_version and os_version where the driver reads them); without `file` those that an image must have to be taken."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for value in values(var.properties) : coalesce(value, "-") != "-" && value != ""])
    error_message = "properties must have a value each; got ${jsonencode(var.properties)}."
  }
}

variable "timeout" {
  description = "Minutes that the upload may take."
  type        = number
  default     = 60
  nullable    = false

  validation {
    condition     = var.timeout >= 1 && floor(var.timeout) == var.timeout
    error_message = "timeout must be a whole number of minutes, at least 1; got ${var.timeout}."
  }
}
