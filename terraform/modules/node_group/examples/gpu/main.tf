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

variable "cluster_id" {
  description = "Id of a cluster."
  type        = string
}

module "gpu" {
  source = "../.."

  cluster_id = var.cluster_id
  name       = "gpu"
  flavor     = "bm.gpu4"
  role       = "worker"
  size       = { count = 2, min = 1, max = 4 }
  timeout    = 120
}
