variable "driver" {
  description = "Magnum's driver of the cluster. Only heat's groups may be changed: under Cluster API another controller keeps the groups and removes a foreign rule."
  type        = string
  nullable    = false

  validation {
    condition     = var.driver == "heat"
    error_message = "driver must be heat, because Cluster API's controller removes foreign rules from the groups it keeps; there use a Service of type LoadBalancer with loadBalancerSourceRanges, the label api_master_lb_allowed_cidrs for the API, or the driver's own values; got '${var.driver}'."
  }
}

variable "security_group_id" {
  description = "Id of the workers' security group; null: found by the address of `node`."
  type        = string
  default     = null

  validation {
    condition     = var.security_group_id != ""
    error_message = "security_group_id must be null or a group's id; got ''."
  }
}

variable "node" {
  description = "Address of a worker, and whether it is a floating one; read when security_group_id is null."
  type = object({
    address  = string
    floating = bool
  })
  default  = { address = null, floating = false }
  nullable = false

  validation {
    condition     = var.node.address == null || can(cidrhost("${coalesce(var.node.address, "192.0.2.1")}/32", 0)) || can(cidrhost("${coalesce(var.node.address, "192.0.2.1")}/128", 0))
    error_message = "node.address must be the IP address of a worker; got '${coalesce(var.node.address, "null")}'."
  }
}

variable "ports" {
  description = "TCP ports to open."
  type        = set(number)
  default     = [80, 443]
  nullable    = false

  validation {
    condition     = alltrue([for port in var.ports : port >= 1 && port <= 65535 && floor(port) == port]) && length(var.ports) > 0
    error_message = "ports must be whole numbers from 1 to 65535, one at least; got ${jsonencode(var.ports)}."
  }
}

variable "allowed_cidrs" {
  description = "Who may reach the ports. There is no default: say 0.0.0.0/0 and ::/0 when everybody may."
  type        = set(string)
  nullable    = false

  validation {
    condition     = length(var.allowed_cidrs) > 0
    error_message = "allowed_cidrs must have at least one range; got ${jsonencode(var.allowed_cidrs)}."
  }

  validation {
    condition     = alltrue([for range in var.allowed_cidrs : can(cidrhost(range, 0)) && try(cidrsubnet(range, 0, 0) == range, false)])
    error_message = "allowed_cidrs must be ranges such as 192.0.2.0/24, without host bits; got ${jsonencode(var.allowed_cidrs)}."
  }
}
