"""Addons: objects that the chart hands over for the cluster itself (kind Manifests), applied there for real."""

from __future__ import annotations

import logging

from magflow_sandbox.clusters import cluster_api as capi
from magflow_sandbox.clusters.api import Api, ApiError
from magflow_sandbox.clusters.cluster_api import Object, View

LOG = logging.getLogger("controller")


class Addons:
    """Applies the Manifests of one cluster.

    Args:
        api: the management API.
    """

    def __init__(self, api: Api) -> None:
        self.api = api

    def deploy(self, view: View, cluster: Api) -> bool:
        """Apply what is new; Deployed is said only of what the cluster took. Returns whether all is deployed.

        Args:
            cluster: the cluster's own API.
        """
        whole = True
        for item in view.manifests:
            metadata, status = item["metadata"], item.get("status") or {}
            done = {"phase": "Deployed", "observedGeneration": metadata["generation"], "failureMessage": None}
            if all(status.get(key) == value for key, value in done.items()):
                continue
            try:
                for obj in item["spec"].get("manifests") or []:
                    path = _path(cluster, obj)
                    cluster.patch(path, obj, "apply", fieldManager="addon-provider", force="true")
            except ApiError as error:
                LOG.warning("%s: addon %s: %s", view.name, metadata["name"], error)
                done |= {"phase": "Installing", "failureMessage": error.what}
                whole = False
            path = capi.path("Manifests", metadata["namespace"], metadata["name"])
            self.api.patch(f"{path}/status", {"status": done}, "merge")
        return whole


def _path(cluster: Api, obj: Object) -> str:
    """Path of an object, by what the cluster says of its kind."""
    version = obj["apiVersion"]
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    resources = (cluster.get(base) or {}).get("resources", [])
    for resource in resources:
        if resource["kind"] == obj["kind"] and "/" not in resource["name"]:
            namespace = obj["metadata"].get("namespace", "default")
            inside = f"/namespaces/{namespace}" if resource["namespaced"] else ""
            return f"{base}{inside}/{resource['name']}/{obj['metadata']['name']}"
    raise ApiError(404, f"the cluster does not know the kind {obj['kind']} of {version}")
