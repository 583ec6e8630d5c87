"""Stage cluster."""

from magflow.checks import cluster
from magflow.stages.model import Stage, TerraformStack

CLUSTER = Stage(
    name="cluster",
    title="Cluster template, cluster and node groups by Magnum",
    step=TerraformStack("cluster"),
    after=(),
    checks=(
        cluster.is_complete,
        cluster.api_answers,
        cluster.version_is_asked,
        cluster.control_plane_is_ready,
        cluster.nodes_are_ready,
        cluster.further_clusters_are_complete,
    ),
)
