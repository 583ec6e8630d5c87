terraform {
  required_version = ">= 1.9.0"

  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = "~> 3.4.0"
    }
  }
}

module "clusters" {
  source = "../.."

  cloud   = "mycloud"
  keypair = { name = "research", public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHhVGmvT31n647GHrE4HXUAbyvzPO4gt3cwUPqFUfxb4 me@here" }
  network = {
    external = "public"
    create   = { name = "research", cidr = "10.10.0.0/22" }
  }
  templates = {
    jammy = {
      image          = "ubuntu-jammy-kube-v1.36.3"
      network_driver = "calico"
      labels         = { auto_healing_enabled = "true" }
    }
  }
  clusters = {
    research = {
      template       = "jammy"
      create_timeout = 120
      control_plane  = { count = 3, flavor = "bm.control" }
      workers        = { count = 2, flavor = "bm.cpu" }
      node_groups    = { gpu = { flavor = "bm.gpu4", count = 4 } }
    }
    teaching = {
      template       = "jammy"
      create_timeout = 60
      control_plane  = { count = 1, flavor = "vm.control" }
      workers        = { count = 4, flavor = "vm.worker" }
    }
  }
}

output "facts" {
  description = "What is to be known of the clusters; no secret."
  value       = module.clusters.facts
}
