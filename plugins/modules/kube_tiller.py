#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: kube_tiller
short_description: Write the client certificate of Tiller, Helm 2's server, to files
version_added: 0.2.0
description:
  - Magnum 8 to 17 left it in the Secret C(helm-client-secret) when the label C(tiller_enabled) was true.
  - The files C(ca.pem), C(cert.pem) and C(key.pem) have mode 0600, their folder 0700. Their content is in no answer of
    this module.
  - Where the cluster has no such Secret there are no files afterwards, and RV(found) is false.
author:
  - The Magflow authors
extends_documentation_fragment:
  - magflow.platform.kube
options:
  folder:
    description: Folder of the files, such as Helm 2's E(HELM_HOME).
    type: path
    required: true
  namespace:
    description: Namespace of Tiller, Magnum's label C(tiller_namespace).
    type: str
    default: magnum-tiller
"""

EXAMPLES = r"""
- name: Tiller's client certificate is in Helm 2's folder
  magflow.platform.kube_tiller:
    kubeconfig: runs/old/kubeconfig
    folder: runs/old/helm
"""

RETURN = r"""
found:
  description: Whether the cluster has the Secret.
  returned: success
  type: bool
files:
  description: Files that were written or taken away, or would be in check mode.
  returned: success
  type: list
  elements: str
expires:
  description: When the client's certificate ends (ISO 8601); empty where there is none.
  returned: success
  type: str
expired:
  description: Whether it has ended.
  returned: success
  type: bool
"""

import contextlib
import datetime as dt
from pathlib import Path

from ansible_collections.magflow.platform.plugins.module_utils.door import open_door

with contextlib.suppress(ImportError):  # told by open_door
    from magflow.kube import tiller


def work(module, kube):
    given = module.params
    access = tiller.write(kube, Path(given["folder"]), given["namespace"], dry_run=module.check_mode)
    return {
        "changed": bool(access.changed),
        "found": access.found,
        "files": list(access.changed),
        "expires": access.expires.isoformat() if access.expires else "",
        "expired": access.expires is not None and access.expires <= dt.datetime.now(dt.UTC),
    }


def main():
    spec = {
        "folder": {"type": "path", "required": True},
        "namespace": {"type": "str", "default": "magnum-tiller"},
    }
    open_door(spec, work)


if __name__ == "__main__":
    main()
