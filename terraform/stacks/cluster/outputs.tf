output "facts" {
  description = "What later stages may know of the cloud; no secret."
  value = {
    network = {
      external = module.network.external_id
      fixed    = module.network.network_id
      subnet   = module.network.subnet_id
    }
    clusters = {
      for name, cluster in var.clusters : name => {
        id          = module.cluster[name].id
        name        = module.cluster[name].name
        api_address = module.cluster[name].api_address
        kubernetes  = module.cluster[name].kubernetes
        template_id = module.cluster_template[cluster.template].id
        image_id    = module.image[var.templates[cluster.template].image].image.id
        labels_sent = var.templates[cluster.template].labels
        node_groups = {
          for group, facts in merge(
            module.cluster[name].node_groups,
            { for group in keys(cluster.node_groups) : group => module.node_group["${name}/${group}"].facts },
          ) :
          group => merge(facts, { gpus = tonumber(lookup(data.openstack_compute_flavor_v2.this[facts.flavor].extra_specs, "magflow:gpus", "0")) })
        }
      }
    }
  }

  precondition {
    condition     = alltrue([for cluster in values(var.clusters) : local.master_lb_enabled[cluster.template] || cluster.control_plane.count == 1])
    error_message = "clusters must have 1 control-plane node when their template has no load balancer for it (master_lb_enabled), because Magnum refuses more; got ${jsonencode({ for name, cluster in var.clusters : name => cluster.control_plane.count })}."
  }
}

output "kubeconfigs" {
  description = "Kubeconfig of each cluster with an administrator's client certificate; they lie in the state in clear text."
  value       = { for name, cluster in module.cluster : name => cluster.kubeconfig }
  sensitive   = true
}
