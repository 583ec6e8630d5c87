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

# A Heat cluster, whose workers' group is found by the address of one of them.
module "ingress" {
  source = "../.."

  driver        = "heat"
  node          = { address = "10.10.0.17", floating = false }
  allowed_cidrs = ["192.0.2.0/24", "2001:db8::/32"]
}
