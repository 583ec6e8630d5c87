"""Stage training_operator."""

from magflow.checks import training_operator
from magflow.stages.model import Playbook, Stage

TRAINING_OPERATOR = Stage(
    name="training_operator",
    title="Kubeflow training operator",
    step=Playbook("training_operator"),
    after=("cluster",),
    checks=(
        training_operator.is_served,
        training_operator.is_ready,
        training_operator.webhook_rejects,
    ),
)
