# A Magnum cluster template for Kubernetes. A changed one is a new one, made before the old one goes.

locals {
  content = {
    name                  = var.name
    server_type           = var.server_type
    image                 = var.image.id
    flavor                = var.flavor
    master_flavor         = var.master_flavor
    external_network_id   = var.external_network_id
    fixed_network         = var.fixed_network
    fixed_subnet          = var.fixed_subnet
    network_driver        = var.network_driver
    dns_nameserver        = var.dns_nameserver
    master_lb_enabled     = var.master_lb_enabled
    floating_ip_enabled   = var.floating_ip_enabled
    volume_driver         = var.volume_driver
    docker_volume_size    = var.docker_volume_size
    docker_storage_driver = var.docker_storage_driver
    http_proxy            = var.http_proxy
    https_proxy           = var.https_proxy
    no_proxy              = var.no_proxy
    insecure_registry     = var.insecure_registry
    labels                = var.labels
  }
}

# Magnum refuses to change a template that a cluster uses. So a change makes a new template, moves the cluster to it in
# place (Magnum's upgrade) and only then removes the old one.
resource "terraform_data" "content" {
  input = local.content
}

resource "openstack_containerinfra_clustertemplate_v1" "this" {
  name                  = local.content.name
  coe                   = "kubernetes"
  server_type           = local.content.server_type
  image                 = local.content.image
  flavor                = local.content.flavor
  master_flavor         = local.content.master_flavor
  external_network_id   = local.content.external_network_id
  fixed_network         = local.content.fixed_network
  fixed_subnet          = local.content.fixed_subnet
  network_driver        = local.content.network_driver
  dns_nameserver        = local.content.dns_nameserver
  master_lb_enabled     = local.content.master_lb_enabled
  floating_ip_enabled   = local.content.floating_ip_enabled
  volume_driver         = local.content.volume_driver
  docker_volume_size    = local.content.docker_volume_size
  docker_storage_driver = local.content.docker_storage_driver
  http_proxy            = local.content.http_proxy
  https_proxy           = local.content.https_proxy
  no_proxy              = local.content.no_proxy
  insecure_registry     = local.content.insecure_registry
  labels                = local.content.labels

  lifecycle {
    precondition {
      condition     = var.image.properties == null || lookup(coalesce(var.image.properties, {}), "kube_version", "") != "" || lookup(var.labels, "kube_tag", "") != ""
      error_message = "image '${var.image.name}' must have the property kube_version, or the labels a kube_tag, to say the Kubernetes version; it has ${jsonencode(try(keys(var.image.properties), []))}."
    }

    create_before_destroy = true
    replace_triggered_by  = [terraform_data.content]
  }
}
