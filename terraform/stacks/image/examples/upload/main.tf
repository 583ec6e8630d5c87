terraform {
  required_version = ">= 1.9.0"

  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = "~> 3.4.0"
    }
  }
}

module "images" {
  source = "../.."

  cloud = "mycloud"
  images = {
    ubuntu-jammy-kube = {
      file       = "${path.module}/ubuntu-jammy-kube-v1.36.3.qcow2"
      checksum   = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      properties = { os_distro = "ubuntu", kube_version = "v1.36.3" }
    }
  }
}
