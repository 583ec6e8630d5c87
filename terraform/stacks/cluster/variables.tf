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

variable "keypair" {
  description = "Nova key pair of the machines, by name; with `public_key` it is made."
  type = object({
    name       = string
    public_key = optional(string)
  })
  nullable = false

  validation {
    condition     = var.keypair.name != ""
    error_message = "keypair.name must be the name of a Nova key pair; got '${var.keypair.name}'."
  }
}

variable "network" {
  description = <<-EOT
    The networks of the machines.
    external: name or id of the external network.
    existing: name or id of the network (and subnet) that they stand in; create: what is made for them. Without both the driver makes its own.
    mtu: in bytes; the new network gets it, one that is there must have it.
  EOT
  type = object({
    external = string
    existing = optional(object({ network = string, subnet = optional(string) }))
    create   = optional(object({ name = string, cidr = string, dns = optional(list(string), []) }))
    mtu      = optional(number)
  })
  nullable = false

  validation {
    condition     = var.network.external != ""
    error_message = "network.external must be the name or id of an external network; got '${var.network.external}'."
  }
}

variable "templates" {
  description = <<-EOT
    The cluster templates by name.
    image: name of a Glance image with the property os_distro, and kube_version unless the label kube_tag says the version; or an image's id.
    image_properties: properties by which the image is told from others of its name.
    master_lb_enabled: left out, true when one of its clusters has more than one control-plane node.
    labels: Magnum labels, strings.
  EOT
  type = map(object({
    image                 = string
    image_properties      = optional(map(string), {})
    network_driver        = string
    labels                = map(string)
    server_type           = optional(string, "vm")
    master_lb_enabled     = optional(bool)
    floating_ip_enabled   = optional(bool, false)
    dns_nameserver        = optional(string)
    volume_driver         = optional(string)
    docker_volume_size    = optional(number)
    docker_storage_driver = optional(string)
    http_proxy            = optional(string)
    https_proxy           = optional(string)
    no_proxy              = optional(string)
    insecure_registry     = optional(string)
  }))
  nullable = false

  validation {
    condition     = length(var.templates) > 0
    error_message = "templates must have at least one entry; got ${jsonencode(keys(var.templates))}."
  }
}

variable "clusters" {
  description = <<-EOT
    The clusters by name; workers is Magnum's built-in group default-worker, node_groups every other one.
    template: one of `templates`; another one upgrades the cluster in place.
    create_timeout: minutes.
    labels: labels of the cluster itself, in place of a copy of the template's (with merge_labels: added to them). A change of
    them replaces the cluster, a change of the template's does not; but only a Cluster API driver reads the template's too, so leave it out with Heat.
    min, max: an autoscaler's bounds; role: Magnum's word for the group.
    access: ports of the workers to open, under Heat alone.
  EOT
  type = map(object({
    template       = string
    create_timeout = number
    control_plane  = object({ count = number, flavor = string })
    workers        = object({ count = number, flavor = string })
    labels         = optional(map(string))
    merge_labels   = optional(bool, false)
    node_groups = optional(map(object({
      flavor = string
      count  = number
      min    = optional(number)
      max    = optional(number)
      role   = optional(string, "worker")
    })), {})
    access = optional(object({
      driver            = string
      allowed_cidrs     = set(string)
      ports             = optional(set(number), [80, 443])
      security_group_id = optional(string)
    }))
  }))
  nullable = false

  validation {
    condition     = alltrue([for cluster in values(var.clusters) : contains(keys(var.templates), cluster.template)])
    error_message = "clusters must name one of ${jsonencode(keys(var.templates))} as their template each; got ${jsonencode({ for name, cluster in var.clusters : name => cluster.template })}."
  }

  validation {
    condition     = alltrue([for cluster in values(var.clusters) : cluster.workers.count + sum(concat([0], values(cluster.node_groups)[*].count)) >= 1])
    error_message = "clusters must have at least one worker each in workers and node_groups together; got ${jsonencode({ for name, cluster in var.clusters : name => cluster.workers.count + sum(concat([0], values(cluster.node_groups)[*].count)) })}."
  }

  validation {
    condition     = alltrue(flatten([for cluster in values(var.clusters) : [for group in concat([cluster.control_plane, cluster.workers], [for name, group in cluster.node_groups : { flavor = group.flavor }]) : group.flavor != ""]]))
    error_message = "clusters must have the name of a Nova flavor for the control plane, the workers and every node group; got ${jsonencode(var.clusters)}."
  }
}

variable "time_scale" {
  description = "Multiplies create_timeout for the minutes that Terraform waits; for slow clouds."
  type        = number
  default     = 1
  nullable    = false

  validation {
    condition     = var.time_scale > 0
    error_message = "time_scale must be more than 0; got ${var.time_scale}."
  }
}
