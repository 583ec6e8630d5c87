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

module "keypair" {
  source = "../.."

  name       = "research"
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHhVGmvT31n647GHrE4HXUAbyvzPO4gt3cwUPqFUfxb4 me@here"
}
