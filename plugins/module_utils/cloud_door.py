# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0
"""What the doors to OpenStack share: which cloud, a missing package, errors."""

from __future__ import annotations

import traceback
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

MAGFLOW_MISSING = None
try:
    from magflow.cloud.connection import connect
    from magflow.errors import MagflowError
    from magflow.settings import Cloud
except ImportError:
    MAGFLOW_MISSING = traceback.format_exc()

CLOUD = {
    "cloud": {"type": "str", "required": True},
    "clouds_file": {"type": "path"},
}


def open_cloud_door(spec, work, **kwargs):
    """Runs `work(module, connection)` and exits with the dict that it returns.

    A missing package and a MagflowError end in one clear failure.
    """
    module = AnsibleModule(argument_spec={**CLOUD, **spec}, supports_check_mode=True, **kwargs)
    if MAGFLOW_MISSING:
        module.fail_json(msg=missing_required_lib("magflow", reason="to speak to OpenStack"), exception=MAGFLOW_MISSING)
    try:
        file = module.params["clouds_file"]
        connection = connect(Cloud(name=module.params["cloud"], clouds_file=Path(file) if file else None))
        result = work(module, connection)
    except MagflowError as error:
        module.fail_json(msg=str(error), what=error.what, where=error.where, hint=error.hint)
    module.exit_json(**result)
