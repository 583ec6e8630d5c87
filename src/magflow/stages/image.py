"""Stage image."""

from magflow.checks import image
from magflow.stages.model import Stage, TerraformStack

IMAGE = Stage(
    name="image",
    title="Upload of the image that the machines boot from",
    step=TerraformStack("image"),
    after=(),
    checks=(image.is_active, image.properties_are_asked, image.checksum_is_asked),
    asked=lambda settings: settings.image.file is not None,
)
