locals {
  content = {
    name                = var.name
    image               = var.image.id
    external_network_id = var.external_network_id
    fixed_network       = var.fixed_network
    fixed_subnet        = var.fixed_subnet
    network_driver      = var.network_driver
    dns_nameserver      = var.dns_nameserver
    master_lb_enabled   = var.master_lb_enabled
    floating_ip_enabled = var.floating_ip_enabled
    labels              = var.labels
  }
}

# Magnum refuses to change a template that a cluster uses. So a change makes a new template, moves the cluster to it in
# place (Magnum's upgrade) and only then removes the old one.
resource "terraform_data" "content" {
  input = local.content
}

resource "openstack_containerinfra_clustertemplate_v1" "this" {
  name                = local.content.name
  coe                 = "kubernetes"
  server_type         = "vm" # bare metal comes with the flavor: no living driver takes "bm"
  image               = local.content.image
  external_network_id = local.content.external_network_id
  fixed_network       = local.content.fixed_network
  fixed_subnet        = local.content.fixed_subnet
  network_driver      = local.content.network_driver
  dns_nameserver      = local.content.dns_nameserver
  master_lb_enabled   = local.content.master_lb_enabled
  floating_ip_enabled = local.content.floating_ip_enabled
  labels              = local.content.labels

  lifecycle {
    precondition {
      condition     = lookup(var.image.properties, "kube_version", "") != "" || lookup(var.labels, "kube_tag", "") != ""
      error_message = "image '${var.image.name}' must have the property kube_version, or the labels a kube_tag, to say the Kubernetes version; it has ${jsonencode(keys(var.image.properties))}."
    }

    create_before_destroy = true
    replace_triggered_by  = [terraform_data.content]
  }
}
