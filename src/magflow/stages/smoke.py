"""Stage smoke."""

from magflow.checks import smoke
from magflow.stages.model import Playbook, Stage

SMOKE = Stage(
    name="smoke",
    title="A TFJob with chief, parameter servers and workers",
    step=Playbook("smoke"),
    after=("training_operator",),
    checks=(
        smoke.succeeds,
        smoke.conditions_are_whole,
        smoke.pods_are_as_claimed,
        smoke.services_are_there,
        smoke.events_tell,
    ),
)
