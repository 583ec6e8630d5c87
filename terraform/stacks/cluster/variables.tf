variable "cloud" {
  description = "Entry of clouds.yaml to work in."
  type        = string
  nullable    = false

  validation {
    condition     = var.cloud != ""
    error_message = "cloud must name an entry of clouds.yaml; got '${var.cloud}'."
  }
}

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
    condition     = can(regex("^[a-z]([-a-z0-9]*[a-z0-9])?$", var.template.name)) && length(var.template.name) <= 63
    error_message = "template.name must be 1-63 lower-case letters, digits or dashes, start with a letter and not end with a dash; got '${var.template.name}'."
  }

  validation {
    condition     = var.template.image != ""
    error_message = "template.image must be the name of a Glance image; got '${var.template.image}'."
  }

  validation {
    condition     = var.template.external_network != ""
    error_message = "template.external_network must be the name or id of an external network; got '${var.template.external_network}'."
  }

  validation {
    condition     = contains(["calico", "cilium", "flannel"], var.template.network_driver)
    error_message = "template.network_driver must be calico, cilium or flannel; got '${var.template.network_driver}'."
  }

  validation {
    condition     = alltrue([for value in values(var.template.labels) : value != null && value != ""])
    error_message = "template.labels must have no empty value; got ${jsonencode(var.template.labels)}."
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
    condition     = can(regex("^[a-z]([-a-z0-9]*[a-z0-9])?$", var.cluster.name)) && length(var.cluster.name) <= 30
    error_message = "cluster.name must be 1-30 lower-case letters, digits or dashes, start with a letter and not end with a dash; got '${var.cluster.name}'."
  }

  validation {
    condition     = var.cluster.keypair != ""
    error_message = "cluster.keypair must be the name of a Nova key pair; got '${var.cluster.keypair}'."
  }

  validation {
    condition     = var.cluster.create_timeout >= 1
    error_message = "cluster.create_timeout must be at least 1 minute; got ${var.cluster.create_timeout}."
  }

  validation {
    condition     = var.cluster.control_plane.count >= 1
    error_message = "cluster.control_plane.count must be at least 1; got ${var.cluster.control_plane.count}."
  }

  validation {
    condition     = var.cluster.control_plane.count < 1 || var.cluster.control_plane.count % 2 == 1
    error_message = "cluster.control_plane.count must be odd, because etcd needs a majority; got ${var.cluster.control_plane.count}."
  }

  validation {
    condition     = var.cluster.workers.count >= 0
    error_message = "cluster.workers.count must be at least 0; got ${var.cluster.workers.count}."
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
    condition = alltrue([
      for name in keys(var.node_groups) : can(regex("^[a-z]([-a-z0-9]*[a-z0-9])?$", name)) && length(name) <= 19
    ])
    error_message = "node group names must be 1-19 lower-case letters, digits or dashes, start with a letter and not end with a dash; got ${jsonencode(keys(var.node_groups))}."
  }

  validation {
    condition     = length(setintersection(keys(var.node_groups), ["default-master", "default-worker"])) == 0
    error_message = "node_groups must not hold Magnum's built-in groups (default-worker is cluster.workers); got ${jsonencode(keys(var.node_groups))}."
  }

  validation {
    condition     = alltrue([for group in values(var.node_groups) : group.count >= 0])
    error_message = "node_groups must have counts of at least 0; got ${jsonencode({ for name, group in var.node_groups : name => group.count })}."
  }

  validation {
    condition     = alltrue([for group in values(var.node_groups) : coalesce(group.min, 0) <= group.count])
    error_message = "node_groups must have min <= count; got ${jsonencode({ for name, group in var.node_groups : name => [group.min, group.count] })}."
  }

  validation {
    condition     = alltrue([for group in values(var.node_groups) : group.count <= coalesce(group.max, group.count)])
    error_message = "node_groups must have count <= max; got ${jsonencode({ for name, group in var.node_groups : name => [group.count, group.max] })}."
  }

  validation {
    condition     = alltrue([for group in values(var.node_groups) : group.role != "master"])
    error_message = "node_groups must not have the role master; got ${jsonencode({ for name, group in var.node_groups : name => group.role })}."
  }
}
