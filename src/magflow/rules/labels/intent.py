"""From what the settings ask for to labels: one small function for each thing that can be asked for."""

from __future__ import annotations

from magflow.rules.labels.draft import Draft
from magflow.settings import DEFAULT_WORKER
from magflow.settings.cluster import Volume

TRUE, FALSE = "true", "false"

PODS = {"calico": "calico_ipv4pool", "flannel": "flannel_network_cidr", "cilium": "cilium_ipv4pool"}
"""The label with the pods' range, by network driver."""


def kubernetes(draft: Draft) -> None:
    """kube_tag; magnum-capi-helm has no such label, it reads the image's property kube_version."""
    if draft.target.driver != "capi-helm":
        wanted = draft.settings.cluster.kubernetes
        draft.ask("kube_tag", wanted, "cluster.kubernetes", f"cluster.kubernetes is {wanted}")


def ingress(draft: Draft) -> None:
    """The ingress controller; Cluster API drivers install none."""
    wanted = draft.settings.ingress.controller
    if wanted:
        draft.ask(
            "ingress_controller",
            wanted,
            "ingress.controller",
            f"ingress.controller is {wanted}",
            intent=f"ingress controller {wanted}",
        )


def monitoring(draft: Draft) -> None:
    """Prometheus and Grafana: by Helm from 8.0.0 on, before that by manifests (prometheus_monitoring)."""
    if not draft.settings.monitoring.enabled:
        return
    reason = "monitoring.enabled is true"
    key, release = "monitoring_enabled", draft.target.release
    if draft.target.driver == "heat" and release and release.major < 8:
        key, reason = "prometheus_monitoring", f"{reason}; monitoring_enabled came with 8.0.0"
    draft.ask(key, TRUE, "monitoring.enabled", reason, intent="Prometheus and Grafana of the driver")


def tiller(draft: Draft) -> None:
    """Helm 2's server."""
    wanted = draft.settings.cluster.tiller
    if wanted is None:
        return
    there = draft.ask(
        "tiller_enabled", TRUE, "cluster.tiller", "cluster.tiller is given", intent="Tiller, Helm 2's server"
    )
    if there and wanted.version:
        path = "cluster.tiller.version"
        draft.ask("tiller_tag", wanted.version, path, f"{path} is {wanted.version}")


def scaling(draft: Draft) -> None:
    """The autoscaler, with the range of the group that Magnum makes itself; other groups have their own."""
    if not draft.settings.cluster.autoscaling:
        _off(draft, "auto_scaling_enabled", "cluster.autoscaling")
        return
    if not draft.ask("auto_scaling_enabled", TRUE, "cluster.autoscaling", "cluster.autoscaling is true"):
        return
    group = draft.settings.node_groups[DEFAULT_WORKER]
    for key, value, name in (("min_node_count", group.min, "min"), ("max_node_count", group.max, "max")):
        if value is not None:
            path = f"node_groups.{DEFAULT_WORKER}.{name}"
            draft.ask(key, str(value), path, f"{path} is {value}")


def healing(draft: Draft) -> None:
    """Auto-healing. On Heat the default controller, Draino, drains nodes and replaces none; magnum-auto-healer does."""
    path = "cluster.auto_healing"
    if not draft.settings.cluster.auto_healing:
        _off(draft, "auto_healing_enabled", path)
    elif draft.ask("auto_healing_enabled", TRUE, path, f"{path} is true") and draft.reads("auto_healing_controller"):
        draft.ask("auto_healing_controller", "magnum-auto-healer", path, f"{path} is true; it replaces broken nodes")


def registry(draft: Draft) -> None:
    """The registry of the cluster's own images: Heat's drivers put the image's name right behind the prefix."""
    mirror = draft.settings.cluster.registry_mirror
    if mirror:
        prefix = f"{mirror}/" if draft.target.driver == "heat" else mirror
        path = "cluster.registry_mirror"
        draft.ask("container_infra_prefix", prefix, path, f"{path} is {mirror}", intent=f"images from {mirror}")


def ranges(draft: Draft) -> None:
    """The ranges of pods and services."""
    network = draft.settings.network
    if network.pods:
        key = PODS[network.driver]
        draft.ask(key, network.pods, "network.pods", f"network.pods is {network.pods}", needed=True)
    if network.services:
        wanted, path = network.services, "network.services"
        draft.ask("service_cluster_ip_range", wanted, path, f"{path} is {wanted}", needed=True)


def load_balancer(draft: Draft) -> None:
    """The load balancer of the API. That it is open to all where it was to be closed is an error."""
    wanted, path = draft.settings.cluster.load_balancer, "cluster.load_balancer"
    if wanted.floating_ip is not None:
        value = TRUE if wanted.floating_ip else FALSE
        key = "master_lb_floating_ip_enabled"
        draft.ask(key, value, f"{path}.floating_ip", f"{path}.floating_ip is {value}")
    if wanted.provider:
        draft.ask("octavia_provider", wanted.provider, f"{path}.provider", f"{path}.provider is {wanted.provider}")
    if wanted.allowed_cidrs:
        key = "master_lb_allowed_cidrs" if draft.target.driver == "heat" else "api_master_lb_allowed_cidrs"
        cidrs = ",".join(wanted.allowed_cidrs)
        reason = f"{path}.allowed_cidrs says who may reach the API"
        draft.ask(key, cidrs, f"{path}.allowed_cidrs", reason, needed=True)


def volumes(draft: Draft) -> None:
    """Cinder volumes of the machines."""
    wanted, path = draft.settings.cluster.volumes, "cluster.volumes"
    if wanted.boot:
        _volume(draft, wanted.boot, f"{path}.boot", "boot_volume_size", "boot_volume_type")
    if wanted.docker and wanted.docker.size and wanted.docker.type and draft.reads("docker_volume_type"):
        kind = wanted.docker.type
        draft.ask("docker_volume_type", kind, f"{path}.docker.type", f"{path}.docker.type is {kind}")
    if wanted.etcd:
        new = draft.target.driver == "capi-helm"
        size, kind = ("etcd_blockdevice_size", "etcd_blockdevice_volume_type") if new else ("etcd_volume_size", "")
        _volume(draft, wanted.etcd, f"{path}.etcd", size, kind or "etcd_volume_type")


def _volume(draft: Draft, volume: Volume, path: str, size: str, kind: str) -> None:
    draft.ask(size, str(volume.size), f"{path}.size", f"{path}.size is {volume.size}")
    if volume.size and volume.type:
        draft.ask(kind, volume.type, f"{path}.type", f"{path}.type is {volume.type}")


def _off(draft: Draft, key: str, path: str) -> None:
    # what is off is said only to a driver that would switch it on
    if draft.default(key) == TRUE and draft.reads(key):
        draft.ask(key, FALSE, path, f"{path} is false")


INTENTS = (kubernetes, ingress, monitoring, tiller, scaling, healing, registry, ranges, load_balancer, volumes)
