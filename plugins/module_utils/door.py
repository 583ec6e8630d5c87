# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the doors to the package magflow share: arguments, a missing package, errors, diffs."""

from __future__ import annotations

import os
import traceback

from ansible.module_utils.basic import AnsibleModule, env_fallback, missing_required_lib

MAGFLOW_MISSING = None
try:
    from magflow.errors import MagflowError
    from magflow.kube.client import connect
except ImportError:
    MAGFLOW_MISSING = traceback.format_exc()

KUBECONFIG = {"type": "path", "required": True, "fallback": (env_fallback, ["KUBECONFIG"])}


def open_door(spec, work, **kwargs):
    """Runs `work(module, kube)` and exits with the dict that it returns.

    A missing package and a MagflowError end in one clear failure.
    """
    module = AnsibleModule(argument_spec={"kubeconfig": dict(KUBECONFIG), **spec}, supports_check_mode=True, **kwargs)
    if MAGFLOW_MISSING:
        module.fail_json(
            msg=missing_required_lib("magflow", reason="to speak to Kubernetes"), exception=MAGFLOW_MISSING
        )
    try:
        kube = connect(module.params["kubeconfig"].split(os.pathsep)[0])
        result = work(module, kube)
    except MagflowError as error:
        module.fail_json(msg=str(error), what=error.what, where=error.where, hint=error.hint)
    module.exit_json(**result)


def applied(items):
    """The result of a list of magflow.kube.apply.Applied."""
    return {
        "changed": any(item.changed for item in items),
        "objects": [
            {"kind": item.kind, "namespace": item.namespace, "name": item.name, "action": item.action} for item in items
        ],
        "diff": [diff(str(item), item.diff) for item in items if item.diff],
    }


def diff(header, change):
    """One entry of Ansible's diff."""
    return {
        "before": change.before,
        "after": change.after,
        "before_header": header,
        "after_header": header,
    }
