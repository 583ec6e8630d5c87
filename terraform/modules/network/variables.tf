variable "external" {
  description = "Name or id of the external network."
  type        = string
  nullable    = false

  validation {
    condition     = var.external != ""
    error_message = "external must be the name or id of an external network; got '${var.external}'."
  }
}

variable "existing" {
  description = "Name or id of a network that is there, and of its subnet (left out: its only one)."
  type = object({
    network = string
    subnet  = optional(string)
  })
  default = null

  validation {
    condition     = var.existing == null || (try(var.existing.network, "") != "" && try(var.existing.subnet, null) != "")
    error_message = "existing must be null or have the name or id of a network, and no empty subnet; got ${jsonencode(var.existing)}."
  }
}

variable "create" {
  description = "Name and range of a network, subnet and router to make, and the name servers of its machines."
  type = object({
    name = string
    cidr = string
    dns  = optional(list(string), [])
  })
  default = null

  validation {
    condition     = var.create == null || can(regex("^[a-z]([-a-z0-9]*[a-z0-9])?$", var.create.name))
    error_message = "create.name must be lower-case letters, digits or dashes, start with a letter and not end with a dash; got '${try(var.create.name, "null")}'."
  }

  validation {
    condition     = var.create == null || can(cidrhost(var.create.cidr, 8))
    error_message = "create.cidr must be a range of at least 9 addresses such as 10.0.0.0/24; got '${try(var.create.cidr, "null")}'."
  }

  validation {
    condition     = alltrue([for address in try(var.create.dns, []) : can(cidrnetmask("${address}/32")) || can(cidrhost("${address}/128", 0))])
    error_message = "create.dns must be IP addresses; got ${jsonencode(try(var.create.dns, []))}."
  }
}

variable "mtu" {
  description = "MTU of the machines' network in bytes: the new one gets it, one that is there must have it; null: not looked at."
  type        = number
  default     = null

  validation {
    condition     = var.mtu == null || (coalesce(var.mtu, 0) >= 576 && coalesce(var.mtu, 0) <= 9216)
    error_message = "mtu must be null or 576 to 9216; got ${coalesce(var.mtu, 0)}."
  }
}
