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

# The API of a Heat cluster, in the control plane's group that is known by its id.
module "api" {
  source = "../.."

  driver            = "heat"
  security_group_id = "0d6c5d5e-9ca1-4fd4-a3a6-2f9a9a5f7d11"
  ports             = [6443]
  allowed_cidrs     = ["192.0.2.0/24"]
}
