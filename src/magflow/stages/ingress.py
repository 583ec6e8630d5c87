"""Stage ingress."""

from magflow.checks import ingress
from magflow.stages.model import Playbook, Stage

INGRESS = Stage(
    name="ingress",
    title="Ingress objects on nip.io hosts",
    step=Playbook("ingress"),
    after=("node_pools",),
    checks=(
        ingress.node_is_chosen,
        ingress.objects_are_written,
        *ingress.HOSTS_ANSWER,
    ),
)
