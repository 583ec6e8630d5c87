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
  description = "The Glance image that the machines boot from; Magnum finds the driver by its property os_distro. Properties that are null are not known, and not looked at."
  type = object({
    id         = string
    name       = string
    properties = map(string)
  })
  nullable = false

  validation {
    condition     = var.image.properties == null || lookup(coalesce(var.image.properties, {}), "os_distro", "") != ""
    error_message = "image '${var.image.name}' must have the property os_distro, by which Magnum finds the driver; it has ${jsonencode(try(keys(var.image.properties), []))}."
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

variable "server_type" {
  description = "Magnum's word for the machines. Bare metal too is vm, with an Ironic flavor; no driver takes bm from Magnum 18 on."
  type        = string
  default     = "vm"
  nullable    = false

  validation {
    condition     = contains(["vm", "bm"], var.server_type)
    error_message = "server_type must be vm or bm; got '${var.server_type}'."
  }
}

variable "flavor" {
  description = "Nova flavor of the workers of clusters that name none; null: none."
  type        = string
  default     = null

  validation {
    condition     = var.flavor != ""
    error_message = "flavor must be null or the name of a Nova flavor; got ''."
  }
}

variable "master_flavor" {
  description = "Nova flavor of the control plane of clusters that name none; null: none."
  type        = string
  default     = null

  validation {
    condition     = var.master_flavor != ""
    error_message = "master_flavor must be null or the name of a Nova flavor; got ''."
  }
}

variable "volume_driver" {
  description = "Driver for volumes of pods: cinder; null: none, as bare metal wants it."
  type        = string
  default     = null

  validation {
    condition     = var.volume_driver == null || var.volume_driver == "cinder"
    error_message = "volume_driver must be null or cinder; got '${coalesce(var.volume_driver, "null")}'."
  }
}

variable "docker_volume_size" {
  description = "GiB of the Cinder volume for container images (Heat driver alone); null: none."
  type        = number
  default     = null

  validation {
    condition     = var.docker_volume_size == null || coalesce(var.docker_volume_size, 0) >= 1
    error_message = "docker_volume_size must be null or at least 1; got ${coalesce(var.docker_volume_size, 0)}."
  }
}

variable "docker_storage_driver" {
  description = "How container images are stored: overlay2, overlay or devicemapper; null: the driver's default."
  type        = string
  default     = null

  validation {
    condition     = var.docker_storage_driver == null || contains(["overlay2", "overlay", "devicemapper"], coalesce(var.docker_storage_driver, "-"))
    error_message = "docker_storage_driver must be null, overlay2, overlay or devicemapper; got '${coalesce(var.docker_storage_driver, "null")}'."
  }
}

variable "http_proxy" {
  description = "The machines' proxy for http; null: none. Everybody who may read the template sees it."
  type        = string
  default     = null

  validation {
    condition     = var.http_proxy == null || can(regex("^https?://[^@]+$", coalesce(var.http_proxy, "-")))
    error_message = "http_proxy must be null or a URL without a password; got '${replace(coalesce(var.http_proxy, "null"), "/\\/\\/.*@/", "//...@")}'."
  }
}

variable "https_proxy" {
  description = "The machines' proxy for https; null: none. Everybody who may read the template sees it."
  type        = string
  default     = null

  validation {
    condition     = var.https_proxy == null || can(regex("^https?://[^@]+$", coalesce(var.https_proxy, "-")))
    error_message = "https_proxy must be null or a URL without a password; got '${replace(coalesce(var.https_proxy, "null"), "/\\/\\/.*@/", "//...@")}'."
  }
}

variable "no_proxy" {
  description = "Hosts, domains and ranges that go without the proxy, separated by commas; null: none."
  type        = string
  default     = null

  validation {
    condition     = var.no_proxy == null || can(regex("^[^\\s,]+(,[^\\s,]+)*$", coalesce(var.no_proxy, "-")))
    error_message = "no_proxy must be null or a list with commas and no spaces; got '${coalesce(var.no_proxy, "null")}'."
  }
}

variable "insecure_registry" {
  description = "Registry that is spoken to without TLS, as HOST:PORT; null: none."
  type        = string
  default     = null

  validation {
    condition     = var.insecure_registry == null || can(regex("^[a-z0-9.-]+(:[0-9]{1,5})?$", coalesce(var.insecure_registry, "/")))
    error_message = "insecure_registry must be null or HOST:PORT; got '${coalesce(var.insecure_registry, "null")}'."
  }
}
