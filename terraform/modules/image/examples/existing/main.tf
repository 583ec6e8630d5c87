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
  source = "../.."

  name = "ubuntu-jammy-kube-v1.36.3"
}

output "image" {
  description = "Id, name and properties of the image."
  value       = module.image.image
}
