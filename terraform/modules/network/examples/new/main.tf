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
  create   = { name = "research", cidr = "10.10.0.0/22", dns = ["192.0.2.53"] }
  mtu      = 8942
}

output "network_id" {
  description = "For the cluster template's fixed_network."
  value       = module.network.network_id
}
