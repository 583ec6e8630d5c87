terraform {
  required_version = ">= 1.9.0"

  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = "~> 3.4.0"
    }
  }
}

provider "openstack" {
  cloud = "mycloud"
}

variable "template_id" {
  description = "Id of a cluster template."
  type        = string
}

module "cluster" {
  source = "../.."

  name                 = "research"
  template_id          = var.template_id
  keypair              = "research"
  create_timeout       = 120
  control_plane_count  = 3
  control_plane_flavor = "bm.control"
  worker_count         = 2
  worker_flavor        = "bm.cpu"
}

output "api_address" {
  description = "URL of the cluster's Kubernetes API."
  value       = module.cluster.api_address
}
