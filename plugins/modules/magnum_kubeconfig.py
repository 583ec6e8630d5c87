#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: magnum_kubeconfig
short_description: Fetch a cluster's kubeconfig from Magnum
version_added: 0.2.0
description:
  - Makes a key, has Magnum's CA sign its certificate, and writes the kubeconfig with mode 0600.
  - One that is there and holds for another week is left as it is. Its content is in no answer of this module.
author:
  - The Magflow authors
extends_documentation_fragment:
  - magflow.platform.cloud
options:
  name:
    description: Name of the cluster, which must be complete.
    type: str
    required: true
  path:
    description: File to write.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Kubeconfig is there
  magflow.platform.magnum_kubeconfig:
    cloud: mycloud
    name: ml
    path: runs/ml/kubeconfig
"""

RETURN = r"""
path:
  description: The file.
  returned: success
  type: str
"""

import contextlib
from pathlib import Path

from ansible_collections.magflow.platform.plugins.module_utils.cloud_door import open_cloud_door

with contextlib.suppress(ImportError):  # told by open_cloud_door
    from magflow.cloud import kubeconfig, live_facts


def work(module, connection):
    given = module.params
    cluster = live_facts.complete(connection, given["name"], live_facts.Patience(0))
    facts = live_facts.facts(connection, cluster)
    file = Path(given["path"])
    changed = kubeconfig.fetch(connection, facts.cluster, file, dry_run=module.check_mode)
    return {"changed": changed, "path": str(file)}


def main():
    open_cloud_door({"name": {"type": "str", "required": True}, "path": {"type": "path", "required": True}}, work)


if __name__ == "__main__":
    main()
