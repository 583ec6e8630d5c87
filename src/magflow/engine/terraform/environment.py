"""The environment that Terraform is given: what the caller chose, and nothing that could change its mind."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_CLI_CONFIG = "TF_CLI_CONFIG_FILE"
# TF_LOG would write request bodies with secrets, TF_CLI_ARGS and TF_VAR_* would change what was asked for, and OS_*
# would beat or complete the entry of clouds.yaml that the stack names.
_DROPPED = ("TF_", "OS_")
_CLOUDS = "OS_CLIENT_CONFIG_FILE"
_KEPT = ("TF_PLUGIN_CACHE_DIR", _CLOUDS, "OS_CLIENT_SECURE_FILE", _CLI_CONFIG)


def environment(
    extra: Mapping[str, str], base: Mapping[str, str] | None = None, here: Path | None = None
) -> dict[str, str]:
    """Terraform's environment.

    Args:
        extra: what the caller wants; it wins over everything here.
        base: the environment to start from (this process's by default); its TF_* and OS_* are left out but for the
            places of configuration files.
        here: the folder that relative places mean, and where a clouds.yaml is looked for as the other clients do
            (the current one by default). Terraform itself runs in another.
    """
    here = here or Path.cwd()
    base = os.environ if base is None else base
    result = {name: value for name, value in base.items() if name in _KEPT or not name.startswith(_DROPPED)}
    result |= {"TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "CHECKPOINT_DISABLE": "1"}
    result |= extra
    if not result.get(_CLOUDS) and (here / "clouds.yaml").is_file():
        result[_CLOUDS] = "clouds.yaml"
    result |= {name: str(here / result[name]) for name in _KEPT if result.get(name)}
    config = _cli_config(result)
    result.pop(_CLI_CONFIG, None)
    return result | ({_CLI_CONFIG: str(config)} if config else {})


def _cli_config(env: Mapping[str, str]) -> Path | None:
    """The CLI configuration: the one that is named if it is there, else the one in the cache, else Terraform's own."""
    cache = Path(env.get("MAGFLOW_CACHE") or Path(env.get("HOME", "~")).expanduser() / ".cache" / "magflow")
    named = env.get(_CLI_CONFIG)
    candidates = ([Path(named)] if named else []) + [cache / "terraform" / "cli.tfrc"]
    return next((file for file in candidates if file.is_file()), None)
