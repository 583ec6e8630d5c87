variable "cluster_id" {
  description = "Magnum's id of the cluster."
  type        = string
  nullable    = false

  validation {
    condition     = var.cluster_id != ""
    error_message = "cluster_id must not be empty; got '${var.cluster_id}'."
  }
}

variable "name" {
  description = "Name of the node group. Cluster name (30), Magnum's suffix (13), a dash and 19 more make 63: the longest Kubernetes label value."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]*[a-z0-9])?$", var.name)) && length(var.name) <= 19
    error_message = "name must be 1-19 lower-case letters, digits or dashes, start with a letter and not end with a dash; got '${var.name}'."
  }

  validation {
    condition     = !contains(["default-master", "default-worker"], var.name)
    error_message = "name must not be one of Magnum's built-in groups; got '${var.name}'."
  }
}

variable "flavor" {
  description = "Nova flavor of the nodes."
  type        = string
  nullable    = false

  validation {
    condition     = var.flavor != ""
    error_message = "flavor must be the name of a Nova flavor; got '${var.flavor}'."
  }
}

variable "role" {
  description = "Role of the group in Magnum, for example worker."
  type        = string
  nullable    = false

  validation {
    condition     = var.role != "master"
    error_message = "role must not be master, because Magnum has one control plane only; got '${var.role}'."
  }

  validation {
    condition     = can(regex("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", var.role)) && length(var.role) <= 63
    error_message = "role must be 1-63 lower-case letters, digits or dashes; got '${var.role}'."
  }
}

variable "size" {
  description = "Number of nodes, and the least and most that an autoscaler may make of it (null: no bound given)."
  type = object({
    count = number
    min   = optional(number)
    max   = optional(number)
  })
  nullable = false

  validation {
    condition     = var.size.count >= 0 && floor(var.size.count) == var.size.count
    error_message = "size.count must be a whole number, at least 0; got ${var.size.count}."
  }

  validation {
    condition     = coalesce(var.size.min, 0) >= 0
    error_message = "size.min must be at least 0; got ${coalesce(var.size.min, 0)}."
  }

  validation {
    condition     = coalesce(var.size.max, 1) >= 1
    error_message = "size.max must be at least 1; got ${coalesce(var.size.max, 1)}."
  }

  validation {
    condition     = coalesce(var.size.min, 0) <= var.size.count
    error_message = "size.min must not be more than size.count; got ${jsonencode(var.size)}."
  }

  validation {
    condition     = var.size.count <= coalesce(var.size.max, var.size.count)
    error_message = "size.count must not be more than size.max; got ${jsonencode(var.size)}."
  }
}

variable "timeout" {
  description = "Minutes that Terraform waits for a creation, a change of the count or a deletion; bare metal takes tens of minutes a node."
  type        = number
  default     = 60
  nullable    = false

  validation {
    condition     = var.timeout >= 1 && floor(var.timeout) == var.timeout
    error_message = "timeout must be a whole number of minutes, at least 1; got ${var.timeout}."
  }
}
