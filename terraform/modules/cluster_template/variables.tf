variable "name" {
  description = "Name of the cluster template."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]*[a-z0-9])?$", var.name)) && length(var.name) <= 63
    error_message = "name must be 1-63 lower-case letters, digits or dashes, start with a letter and not end with a dash; got '${var.name}'."
  }
}

variable "image" {
  description = "The Glance image that the machines boot from; Magnum finds the driver by its property os_distro."
  type = object({
    id         = string
    name       = string
    properties = map(string)
  })
  nullable = false

  validation {
    condition     = lookup(var.image.properties, "os_distro", "") != ""
    error_message = "image '${var.image.name}' must have the property os_distro, by which Magnum finds the driver; it has ${jsonencode(keys(var.image.properties))}."
  }
}

variable "external_network_id" {
  description = "Neutron id of the external network."
  type        = string
  nullable    = false

  validation {
    condition     = var.external_network_id != ""
    error_message = "external_network_id must not be empty; got '${var.external_network_id}'."
  }
}

variable "fixed_network" {
  description = "Name or id of the network of the machines; null: the driver makes one."
  type        = string
  default     = null

  validation {
    condition     = var.fixed_network != ""
    error_message = "fixed_network must be null or a network's name or id; got ''."
  }
}

variable "fixed_subnet" {
  description = "Name or id of the subnet of the machines; null: the driver makes one."
  type        = string
  default     = null

  validation {
    condition     = var.fixed_subnet != ""
    error_message = "fixed_subnet must be null or a subnet's name or id; got ''."
  }
}

variable "network_driver" {
  description = "Container network: calico, cilium or flannel (the Cluster API drivers know calico and cilium)."
  type        = string
  nullable    = false

  validation {
    condition     = contains(["calico", "cilium", "flannel"], var.network_driver)
    error_message = "network_driver must be calico, cilium or flannel; got '${var.network_driver}'."
  }
}

variable "dns_nameserver" {
  description = "Comma-separated addresses of name servers; null: the cloud's own."
  type        = string
  default     = null

  validation {
    condition = var.dns_nameserver == null || alltrue([
      for address in split(",", coalesce(var.dns_nameserver, "192.0.2.1")) :
      can(cidrnetmask("${address}/32")) || can(cidrhost("${address}/128", 0))
    ])
    error_message = "dns_nameserver must be IP addresses separated by commas; got '${coalesce(var.dns_nameserver, "null")}'."
  }
}

variable "master_lb_enabled" {
  description = "Whether the control plane has a load balancer; Magnum wants one when there is more than one control-plane node."
  type        = bool
  nullable    = false
}

variable "floating_ip_enabled" {
  description = "Whether every node gets a floating IP (Heat driver; the Cluster API drivers ignore it)."
  type        = bool
  nullable    = false
}

variable "labels" {
  description = "Magnum labels; the values are strings, also for numbers and truth values."
  type        = map(string)
  nullable    = false

  validation {
    condition     = alltrue([for key in keys(var.labels) : can(regex("^[a-z][a-z0-9_]*$", key))])
    error_message = "label keys must be lower-case letters, digits or underscores and start with a letter; got ${jsonencode(keys(var.labels))}."
  }

  validation {
    condition     = alltrue([for value in values(var.labels) : value != null && value != ""])
    error_message = "label values must not be empty; got ${jsonencode(var.labels)}."
  }

  validation {
    condition     = alltrue([for value in values(var.labels) : !strcontains(coalesce(value, "-"), "'")])
    error_message = "label values must not hold a single quote; got ${jsonencode(var.labels)}."
  }
}
