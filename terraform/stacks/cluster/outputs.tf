output "facts" {
  description = "What later stages may know of the cloud; no secret."
  value = {
    cluster = {
      id          = module.cluster.id
      name        = module.cluster.name
      api_address = module.cluster.api_address
      kubernetes  = module.cluster.kubernetes
    }
    template_id = module.cluster_template.id
    image_id    = module.image.image.id
    network = {
      external = data.openstack_networking_network_v2.external[var.template.external_network].id
      fixed    = var.template.fixed_network
      subnet   = var.template.fixed_subnet
    }
    node_groups = {
      for name, group in merge(module.cluster.node_groups, { for name, group in module.node_group : name => group.facts }) :
      name => merge(group, { gpus = tonumber(lookup(data.openstack_compute_flavor_v2.this[group.flavor].extra_specs, "magflow:gpus", "0")) })
    }
    labels_sent = var.template.labels
  }

  precondition {
    condition     = local.total_workers >= 1
    error_message = "the cluster must have at least one worker in cluster.workers and node_groups together; got ${local.total_workers}."
  }

  precondition {
    condition     = local.master_lb_enabled || var.cluster.control_plane.count == 1
    error_message = "cluster.control_plane.count must be 1 when template.master_lb_enabled is false, because Magnum refuses more; got ${var.cluster.control_plane.count}."
  }
}

output "kubeconfig" {
  description = "Kubeconfig with an administrator's client certificate; it lies in the state in clear text."
  value       = module.cluster.kubeconfig
  sensitive   = true
}
