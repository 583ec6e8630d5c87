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

module "network" {
  source = "../.."

  external = "public"
  existing = { network = "provision-net", subnet = "provision-subnet" }
}

output "network_id" {
  description = "For the cluster template's fixed_network."
  value       = module.network.network_id
}
