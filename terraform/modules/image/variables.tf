variable "name" {
  description = "Name of the Glance image; of several with this name the newest is taken."
  type        = string
  nullable    = false

  validation {
    condition     = var.name != ""
    error_message = "name must be the name of a Glance image; got '${var.name}'."
  }
}
