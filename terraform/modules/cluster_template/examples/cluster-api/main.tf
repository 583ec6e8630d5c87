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

module "image" {
  source = "../../../image"

  name = "ubuntu-jammy-kube-v1.36.3"
}

module "network" {
  source = "../../../network"

  external = "public"
}

module "cluster_template" {
  source = "../.."

  name                = "research"
  image               = module.image.image
  external_network_id = module.network.external_id
  network_driver      = "calico"
  master_lb_enabled   = true
  floating_ip_enabled = false
  labels              = { auto_healing_enabled = "true" }
}
