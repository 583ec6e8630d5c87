#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: kube_apply
short_description: Apply Kubernetes objects on the server's side
version_added: 0.1.0
description:
  - Server-side apply by the field manager C(magflow), in waves by dependency, parallel within a wave.
  - A field that another manager has given another value is a failure that names both, unless O(force) is given.
  - Fields that controllers own (injected CA bundles, status, aggregated rules) are not sent.
author:
  - The Magflow authors
extends_documentation_fragment:
  - magflow.platform.kube
options:
  objects:
    description: The objects, in any order.
    type: list
    elements: dict
  kustomize:
    description: A folder that C(kubectl kustomize) builds; it is only read.
    type: path
  namespace:
    description: Moves everything in O(kustomize) to this namespace, RBAC subjects and webhook services included.
    type: str
  labels:
    description: Labels for every object of O(kustomize) but namespaces, not for selectors and pod templates.
    type: dict
  replace:
    description: Delete and create again what differs and cannot be changed, and jobs that failed.
    type: bool
    default: false
  force:
    description: Take fields over from other managers.
    type: bool
    default: false
  record:
    description:
      - Name of a record kept in the cluster (a ConfigMap in kube-system).
      - By it, objects that stand as they were written last are not sent again. Not for jobs that O(replace) is for.
    type: str
  deadline:
    description: Seconds that passing errors (429, 5xx, a webhook that is not up yet) may be waited for, in all.
    type: float
    default: 120
"""

EXAMPLES = r"""
- name: Namespace for training is there
  magflow.platform.kube_apply:
    kubeconfig: runs/sandbox/kubeconfig
    objects:
      - apiVersion: v1
        kind: Namespace
        metadata:
          name: training
"""

RETURN = r"""
objects:
  description: What became of each object, or would become of it in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Its kind.
      type: str
      returned: always
    namespace:
      description: Its namespace.
      type: str
      returned: always
    name:
      description: Its name.
      type: str
      returned: always
    action:
      description: One of created, changed, unchanged, replaced.
      type: str
      returned: always
"""

import contextlib

from ansible_collections.magflow.platform.plugins.module_utils.door import applied, open_door

with contextlib.suppress(ImportError):  # told by open_door
    from magflow.kube import kustomize
    from magflow.kube.apply import apply


def work(module, kube):
    given = module.params
    objects = given["objects"] or []
    if given["kustomize"]:
        objects = kustomize.build(given["kustomize"], given["namespace"], given["labels"])
    return applied(
        apply(
            kube,
            objects,
            dry_run=module.check_mode,
            replace=given["replace"],
            force=given["force"],
            diff=module._diff,
            record=given["record"],
            deadline=given["deadline"],
        )
    )


def main():
    spec = {
        "objects": {"type": "list", "elements": "dict"},
        "kustomize": {"type": "path"},
        "namespace": {"type": "str"},
        "labels": {"type": "dict"},
        "replace": {"type": "bool", "default": False},
        "force": {"type": "bool", "default": False},
        "record": {"type": "str"},
        "deadline": {"type": "float", "default": 120},
    }
    open_door(
        spec,
        work,
        required_one_of=[["objects", "kustomize"]],
        mutually_exclusive=[["objects", "kustomize"], ["record", "replace"]],
        required_by={"namespace": "kustomize", "labels": "kustomize"},
    )


if __name__ == "__main__":
    main()
