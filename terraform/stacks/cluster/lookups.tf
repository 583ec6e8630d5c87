locals {
  uuid = "^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$"

  flavors = toset(concat(
    [var.cluster.control_plane.flavor, var.cluster.workers.flavor],
    values(var.node_groups)[*].flavor,
  ))
  total_workers = sum(concat([var.cluster.workers.count], values(var.node_groups)[*].count))
}

# Each look-up has the looked-up name as its key, because the provider's "returned no results" does not say it.

data "openstack_images_image_v2" "this" {
  for_each = toset([var.template.image])

  name        = each.key
  most_recent = true

  lifecycle {
    precondition {
      condition     = local.total_workers >= 1
      error_message = "the cluster must have at least one worker node in cluster.workers and node_groups together; got ${local.total_workers}."
    }

    postcondition {
      condition     = lookup(self.properties, "os_distro", "") != ""
      error_message = "image '${each.key}' has no property os_distro, by which Magnum finds the driver; set it with `openstack image set --property os_distro=...`."
    }

    postcondition {
      condition     = lookup(self.properties, "kube_version", "") != "" || contains(keys(var.template.labels), "kube_tag")
      error_message = "image '${each.key}' has no property kube_version and the labels have no kube_tag, so the Kubernetes version is unknown; set it with `openstack image set --property kube_version=v...`."
    }
  }
}

data "openstack_networking_network_v2" "external" {
  for_each = toset([var.template.external_network])

  name       = can(regex(local.uuid, each.key)) ? null : each.key
  network_id = can(regex(local.uuid, each.key)) ? each.key : null
  external   = true
}

data "openstack_compute_flavor_v2" "this" {
  for_each = local.flavors

  name = each.key

  lifecycle {
    postcondition {
      condition     = can(tonumber(lookup(self.extra_specs, "magflow:gpus", "0")))
      error_message = "flavor '${each.key}' must have a whole number as its extra spec magflow:gpus; got '${lookup(self.extra_specs, "magflow:gpus", "0")}'."
    }
  }
}

data "openstack_compute_keypair_v2" "this" {
  name = var.cluster.keypair
}
