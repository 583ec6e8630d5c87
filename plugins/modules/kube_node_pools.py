#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: kube_node_pools
short_description: Label and taint the nodes of node groups
version_added: 0.1.0
description:
  - Gives every node of a group its labels and taints. What others put on the nodes stays.
  - A label that was given before and was changed by someone else is repaired and reported; one that never was ours is a
    failure that names its owner, unless O(force) is given.
  - Labels and taints that are asked for no longer are taken away.
author:
  - The Magflow authors
extends_documentation_fragment:
  - magflow.platform.kube
options:
  pools:
    description:
      - Node groups by name; each has C(count) (least number of nodes), C(gpus), C(labels) and C(taints).
      - Other keys are not looked at.
    type: dict
    required: true
  cluster:
    description: Name of the cluster, which its nodes' names start with.
    type: str
    required: true
  gpu_labels:
    description: Labels for the nodes of every group whose C(gpus) is not 0.
    type: dict
    default: {}
  force:
    description: Take labels over that others gave another value.
    type: bool
    default: false
  deadline:
    description: Seconds that missing nodes may be waited for.
    type: float
    default: 60
"""

EXAMPLES = r"""
- name: Pools carry their labels
  magflow.platform.kube_node_pools:
    kubeconfig: runs/sandbox/kubeconfig
    cluster: demo
    pools:
      gpu:
        count: 1
        gpus: 4
        labels:
          gputype: nvidia-tesla-v100
        taints:
          - key: nvidia.com/gpu
            effect: NoSchedule
"""

RETURN = r"""
nodes:
  description: What was done to each node.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node.
      type: str
      returned: always
    group:
      description: Its node group.
      type: str
      returned: always
    changed:
      description: Whether it was written.
      type: bool
      returned: always
    repaired:
      description: Labels that were ours and had another value, in words.
      type: list
      elements: str
      returned: always
"""

import contextlib

from ansible_collections.magflow.platform.plugins.module_utils.door import diff, open_door

with contextlib.suppress(ImportError):  # told by open_door
    from magflow.kube.node_pools import Pool, apply_pools


def work(module, kube):
    given = module.params
    changes = apply_pools(
        kube,
        {name: Pool.of(pool or {}, given["gpu_labels"]) for name, pool in given["pools"].items()},
        cluster=given["cluster"],
        dry_run=module.check_mode,
        force=given["force"],
        deadline=given["deadline"],
    )
    return {
        "changed": any(item.changed for item in changes),
        "nodes": [
            {"name": item.node, "group": item.group, "changed": item.changed, "repaired": list(item.repaired)}
            for item in changes
        ],
        "diff": [diff(f"Node {item.node}", item.diff) for item in changes if item.diff],
    }


def main():
    spec = {
        "pools": {"type": "dict", "required": True},
        "cluster": {"type": "str", "required": True},
        "gpu_labels": {"type": "dict", "default": {}},
        "force": {"type": "bool", "default": False},
        "deadline": {"type": "float", "default": 60},
    }
    open_door(spec, work)


if __name__ == "__main__":
    main()
