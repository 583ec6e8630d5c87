# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0
"""The action behind magflow.platform.handoff: on the controller, where the extra variables' files are known by name."""

from __future__ import annotations

from pathlib import Path

from ansible import context
from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

try:
    from magflow import paths, settings_file
    from magflow.errors import MagflowError
    from magflow.handoff import ansible_vars
    from magflow.handoff_ansible import ansible_cluster_vars, cluster_warnings
    from magflow.settings import Settings

    MISSING = None
except ImportError as error:
    MISSING = str(error)


class ActionModule(ActionBase):
    """Settings in, role variables out."""

    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp=None, task_vars=None):
        """Checks the settings and translates them."""
        result = super().run(tmp, task_vars)
        choices = ["stages", "magnum_cluster"]
        _, given = self.validate_argument_spec(
            {"base": {"type": "path", "default": "."}, "to": {"type": "str", "choices": choices, "default": "stages"}}
        )
        if MISSING:
            raise AnsibleActionFail(f"the package magflow is missing in the Python that runs Ansible: {MISSING}")
        try:
            settings, file = self._settings(task_vars or {}, Path(given["base"]))
            if given["to"] == "magnum_cluster":
                folder = str(paths.runs() / file.stem) if file else ""
                result["variables"] = ansible_cluster_vars(settings) | {"magnum_cluster_folder": folder}
                result["warnings"] = cluster_warnings(settings)
            else:
                result["variables"] = ansible_vars(settings)
        except MagflowError as error:
            raise AnsibleActionFail(str(error)) from None
        return result

    def _settings(self, task_vars, base):
        found = None
        names = [field.alias or name for name, field in Settings.model_fields.items()]
        for extra in context.CLIARGS.get("extra_vars") or ():
            file = Path(extra[1:]).expanduser() if extra.startswith("@") else None
            if file and file.suffix in {".yml", ".yaml"} and self._holds_settings(file):
                settings_file.load(str(file))  # finds typos, and says at which line
                found, base = file, file.resolve().parent
        data = {name: self._templar.template(task_vars[name]) for name in names if name in task_vars}
        if not data:
            raise MagflowError("no settings were given", hint="add -e @variables/example.yml")
        return settings_file.resolve(data, base), found

    @staticmethod
    def _holds_settings(file):
        return file.is_file() and any(line.startswith("cloud:") for line in file.read_text().splitlines())
