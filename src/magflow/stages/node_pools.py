"""Stage node_pools."""

from magflow.checks import node_pools
from magflow.stages.model import Playbook, Stage

NODE_POOLS = Stage(
    name="node_pools",
    title="Labels and taints of the node groups",
    step=Playbook("node_pools"),
    after=("cluster",),
    checks=(
        node_pools.labels_are_set,
        node_pools.taints_are_set,
        node_pools.gpus_are_allocatable,
    ),
)
