"""Attributes of the cluster template beside its labels, as far as the settings decide them."""

from __future__ import annotations

from magflow.findings import warning
from magflow.rules.labels.draft import Draft

STORAGE = "overlay2"
"""Docker's storage driver on Heat; others are deprecated (cluster_template.py) and Magnum's old default was
devicemapper."""


def attributes(draft: Draft) -> None:
    """Sets those that the settings decide; what is left out has Magnum's default."""
    settings, driver = draft.settings, draft.target.driver
    network, cluster = settings.network, settings.cluster
    found: dict[str, object] = {"network_driver": network.driver, "server_type": cluster.server_type}
    if network.dns:
        found["dns_nameserver"] = ",".join(str(server) for server in network.dns)
    if cluster.load_balancer.enabled is not None:
        found["master_lb_enabled"] = cluster.load_balancer.enabled
    if cluster.volumes.driver:
        found["volume_driver"] = cluster.volumes.driver
    if driver == "heat":
        found["docker_storage_driver"] = STORAGE
        if network.fixed:
            # machines on a network of the site are reached there; Magnum's default is a floating IP for each
            found["floating_ip_enabled"] = False
        if cluster.volumes.docker and cluster.volumes.docker.size:
            found["docker_volume_size"] = cluster.volumes.docker.size
    if cluster.proxy:
        found |= {"http_proxy": cluster.proxy.http, "https_proxy": cluster.proxy.https}
        if cluster.proxy.no_proxy:
            found["no_proxy"] = ",".join(cluster.proxy.no_proxy)
    draft.attributes |= found
    if driver == "capi-helm":
        _ignored(draft)


def _ignored(draft: Draft) -> None:
    """What magnum-capi-helm does not read of the template (driver.py)."""
    cluster = draft.settings.cluster
    if cluster.proxy:
        draft.findings.append(
            warning(
                "ATTRIBUTE_IGNORED",
                "cluster.proxy",
                "magnum-capi-helm does not read the template's proxy; machines would go out without it",
                "have the proxy in the image, or in the Helm values that the cloud's operator sets",
            )
        )
    if cluster.load_balancer.enabled is False:
        draft.findings.append(
            warning(
                "ATTRIBUTE_IGNORED",
                "cluster.load_balancer.enabled",
                "magnum-capi-helm makes a load balancer for every cluster, whatever the template says",
                "leave it out; the cloud needs Octavia",
            )
        )
