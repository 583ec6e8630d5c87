"""The clouds.yaml that counts, and one cloud's entry in it. Nothing is asked of the cloud."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openstack.config
import openstack.exceptions
import yaml

from magflow.errors import CannotTell
from magflow.settings import Cloud

FILE_VARIABLE = "OS_CLIENT_CONFIG_FILE"


@dataclass(frozen=True)
class CloudsFile:
    """A clouds.yaml that was read.

    Attributes:
        path: where it lies; None: there is none.
        names: the clouds in it.
        config: openstacksdk's reading of it.
    """

    path: Path | None
    names: tuple[str, ...]
    config: Any

    def entry(self, name: str) -> Mapping[str, Any] | None:
        """A cloud's part of the file, with what secure.yaml adds; None: it has none."""
        found: Mapping[str, Any] | None = self.config.cloud_config.get("clouds", {}).get(name)
        return found


def read(cloud: Cloud, environ: Mapping[str, str] | None = None) -> CloudsFile:
    """Reads the file: the settings' own, else the one that OS_CLIENT_CONFIG_FILE names, else where openstacksdk looks.

    Of all OS_* variables that one alone counts, as in Terraform's environment; the others silently send resources to
    another project (terraform-provider-openstack issues 1269 and 434).

    Args:
        cloud: of the settings.
        environ: the environment (this process's by default).

    Raises:
        CannotTell: a file that is named is not there, or it is no YAML.
    """
    named = (os.environ if environ is None else environ).get(FILE_VARIABLE)
    chosen = cloud.clouds_file or (Path(named) if named else None)
    if chosen and not chosen.is_file():
        said_by = "cloud.clouds_file in the settings" if cloud.clouds_file else FILE_VARIABLE
        raise CannotTell(
            "there is no clouds.yaml", where=str(chosen), hint=f"is the cloud up? {said_by} names this file"
        )
    try:
        config = openstack.config.OpenStackConfig(config_files=[str(chosen)] if chosen else None, load_envvars=False)
    except (yaml.YAMLError, OSError, openstack.exceptions.SDKException, ValueError) as error:
        said = getattr(error, "problem", None) or type(error).__name__
        raise CannotTell(f"cannot read clouds.yaml: {said}", where=str(chosen or "clouds.yaml")) from None
    file = Path(config.config_filename) if config.config_filename else None
    return CloudsFile(file, tuple(sorted(config.get_cloud_names())) if file else (), config)
