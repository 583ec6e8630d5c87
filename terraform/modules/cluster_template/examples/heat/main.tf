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

  name = "fedora-coreos-38"
}

module "network" {
  source = "../../../network"

  external = "public"
  existing = { network = "provision-net" }
}

module "cluster_template" {
  source = "../.."

  name                = "research"
  image               = module.image.image
  external_network_id = module.network.external_id
  fixed_network       = module.network.network_id
  network_driver      = "calico"
  master_lb_enabled   = false
  floating_ip_enabled = false
  http_proxy          = "http://proxy.example.org:3128"
  https_proxy         = "http://proxy.example.org:3128"
  no_proxy            = "10.0.0.0/8,.example.org"
  labels = {
    kube_tag           = "v1.28.9-rancher1"
    monitoring_enabled = "true"
  }
}
