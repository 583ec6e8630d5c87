variable "cloud" {
  description = "Entry of clouds.yaml to work in."
  type        = string
  nullable    = false

  validation {
    condition     = var.cloud != ""
    error_message = "cloud must name an entry of clouds.yaml; got '${var.cloud}'."
  }
}

# What the modules check is not checked here again.

variable "template" {
  description = <<-EOT
    The cluster template.
    image: name of a Glance image with the property os_distro, and kube_version unless the label kube_tag says the version.
    external_network: name or id of an external network.
    fixed_network, fixed_subnet: name or id of what the machines stand in; left out, the driver makes its own.
    master_lb_enabled: left out, true when there is more than one control-plane node.
    labels: Magnum labels, strings.
  EOT
  type = object({
    name                = string
    image               = string
    external_network    = string
    fixed_network       = optional(string)
    fixed_subnet        = optional(string)
    network_driver      = string
    dns_nameserver      = optional(string)
    master_lb_enabled   = optional(bool)
    floating_ip_enabled = optional(bool, false)
    labels              = map(string)
  })
  nullable = false

  validation {
    condition     = var.template.external_network != ""
    error_message = "template.external_network must be the name or id of an external network; got '${var.template.external_network}'."
  }
}

variable "cluster" {
  description = <<-EOT
    The cluster; workers is Magnum's built-in group default-worker.
    create_timeout: minutes.
    labels: labels of the cluster itself, in place of a copy of the template's. A change of them replaces the cluster, a
    change of the template's does not; but only a Cluster API driver reads the template's too, so leave it out with Heat.
  EOT
  type = object({
    name           = string
    keypair        = string
    create_timeout = number
    control_plane  = object({ count = number, flavor = string })
    workers        = object({ count = number, flavor = string })
    labels         = optional(map(string))
  })
  nullable = false

  validation {
    condition     = var.cluster.keypair != ""
    error_message = "cluster.keypair must be the name of a Nova key pair; got '${var.cluster.keypair}'."
  }

  validation {
    condition     = var.cluster.control_plane.flavor != ""
    error_message = "cluster.control_plane.flavor must be the name of a Nova flavor; got '${var.cluster.control_plane.flavor}'."
  }

  validation {
    condition     = var.cluster.workers.flavor != ""
    error_message = "cluster.workers.flavor must be the name of a Nova flavor; got '${var.cluster.workers.flavor}'."
  }
}

variable "node_groups" {
  description = "Every node group but default-worker, by name. min and max are an autoscaler's bounds; role is Magnum's word for the group."
  type = map(object({
    flavor = string
    count  = number
    min    = optional(number)
    max    = optional(number)
    role   = optional(string, "worker")
  }))
  nullable = false

  validation {
    condition     = alltrue([for group in values(var.node_groups) : group.flavor != ""])
    error_message = "node_groups must have the name of a Nova flavor each; got ${jsonencode({ for name, group in var.node_groups : name => group.flavor })}."
  }
}
