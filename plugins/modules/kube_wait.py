#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: kube_wait
short_description: Wait until a Kubernetes object has a condition
version_added: 0.1.0
description:
  - Looks until the object's condition is C(True). An object that has failed ends the wait at once.
  - In check mode nothing is waited for.
author:
  - The Magflow authors
extends_documentation_fragment:
  - magflow.platform.kube
options:
  api_version:
    description: API version of the object.
    type: str
    required: true
  kind:
    description: Kind of the object.
    type: str
    required: true
  name:
    description: Name of the object.
    type: str
    required: true
  namespace:
    description: Namespace of the object.
    type: str
  condition:
    description: Type of the condition.
    type: str
    default: Ready
  seconds:
    description: How long to wait; 0 does not look at all.
    type: float
    default: 300
"""

EXAMPLES = r"""
- name: Training operator is available
  magflow.platform.kube_wait:
    kubeconfig: runs/sandbox/kubeconfig
    api_version: apps/v1
    kind: Deployment
    namespace: kubeflow
    name: training-operator
    condition: Available
"""

RETURN = r"""
message:
  description: What the last look saw.
  returned: success
  type: str
"""

import contextlib

from ansible_collections.magflow.platform.plugins.module_utils.door import open_door

with contextlib.suppress(ImportError):  # told by open_door
    from magflow.kube.wait import until


def work(module, kube):
    given = module.params
    seconds = given["seconds"]
    if module.check_mode or not seconds:
        return {"changed": False, "message": "not looked at"}
    subject = (given["api_version"], given["kind"], given["name"], given["namespace"])
    return {"changed": False, "message": until(kube, *subject, wished=given["condition"], seconds=seconds)}


def main():
    spec = {
        "api_version": {"type": "str", "required": True},
        "kind": {"type": "str", "required": True},
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str"},
        "condition": {"type": "str", "default": "Ready"},
        "seconds": {"type": "float", "default": 300},
    }
    open_door(spec, work)


if __name__ == "__main__":
    main()
