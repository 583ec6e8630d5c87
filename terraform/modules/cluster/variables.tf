variable "name" {
  description = "Name of the cluster; the Cluster API driver cuts it at 30 characters."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]*[a-z0-9])?$", var.name)) && length(var.name) <= 30
    error_message = "name must be 1-30 lower-case letters, digits or dashes, start with a letter and not end with a dash; got '${var.name}'."
  }
}

variable "template_id" {
  description = "Magnum's id of the cluster template; another one upgrades the cluster in place."
  type        = string
  nullable    = false

  validation {
    condition     = var.template_id != ""
    error_message = "template_id must not be empty; got '${var.template_id}'."
  }
}

variable "keypair" {
  description = "Name of the Nova key pair for the machines."
  type        = string
  nullable    = false

  validation {
    condition     = var.keypair != ""
    error_message = "keypair must be the name of a Nova key pair; got '${var.keypair}'."
  }
}

variable "create_timeout" {
  description = "Minutes until Magnum gives up the creation."
  type        = number
  nullable    = false

  validation {
    condition     = var.create_timeout >= 1 && floor(var.create_timeout) == var.create_timeout
    error_message = "create_timeout must be a whole number of minutes, at least 1; got ${var.create_timeout}."
  }
}

variable "timeout" {
  description = "Minutes that Terraform waits for a creation, an upgrade or a deletion; null: create_timeout and five more."
  type        = number
  default     = null

  validation {
    condition     = var.timeout == null || (coalesce(var.timeout, 0) >= 1 && floor(coalesce(var.timeout, 0)) == coalesce(var.timeout, 0))
    error_message = "timeout must be null or a whole number of minutes, at least 1; got ${coalesce(var.timeout, 0)}."
  }
}

variable "control_plane_count" {
  description = "Number of control-plane nodes."
  type        = number
  nullable    = false

  validation {
    condition     = var.control_plane_count >= 1
    error_message = "control_plane_count must be at least 1; got ${var.control_plane_count}."
  }

  validation {
    condition     = var.control_plane_count < 1 || var.control_plane_count % 2 == 1
    error_message = "control_plane_count must be odd, because etcd needs a majority; got ${var.control_plane_count}."
  }
}

variable "control_plane_flavor" {
  description = "Nova flavor of the control-plane nodes."
  type        = string
  nullable    = false

  validation {
    condition     = var.control_plane_flavor != ""
    error_message = "control_plane_flavor must be the name of a Nova flavor; got '${var.control_plane_flavor}'."
  }
}

variable "worker_count" {
  description = "Number of nodes of Magnum's built-in group default-worker."
  type        = number
  nullable    = false

  validation {
    condition     = var.worker_count >= 0 && floor(var.worker_count) == var.worker_count
    error_message = "worker_count must be a whole number, at least 0; got ${var.worker_count}."
  }
}

variable "worker_flavor" {
  description = "Nova flavor of the group default-worker."
  type        = string
  nullable    = false

  validation {
    condition     = var.worker_flavor != ""
    error_message = "worker_flavor must be the name of a Nova flavor; got '${var.worker_flavor}'."
  }
}

variable "labels" {
  description = "Labels of the cluster itself; null: Magnum copies the template's at creation. A change replaces the cluster."
  type        = map(string)
  default     = null

  validation {
    condition     = var.labels == null || length(coalesce(var.labels, { any = "" })) > 0
    error_message = "labels must be null or have at least one entry; got {}."
  }
}

variable "merge_labels" {
  description = "Whether the labels of the cluster are added to the template's; without it they take the place of all of them. Read with labels alone."
  type        = bool
  default     = false
  nullable    = false
}
