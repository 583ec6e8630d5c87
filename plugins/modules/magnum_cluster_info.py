#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: magnum_cluster_info
short_description: What Magnum has under a name, and the facts of a cluster that is complete
version_added: 0.2.0
description:
  - Tells the cluster and the cluster template of a name, and changes nothing.
  - It can wait until the cluster is complete or gone; the modules of C(openstack.cloud) wait for a status that no
    cluster of Magnum has. One that has failed ends the wait at once, with Magnum's reason.
author:
  - The Magflow authors
extends_documentation_fragment:
  - magflow.platform.cloud
options:
  name:
    description: Name of the cluster and of its template.
    type: str
    required: true
  wait_for:
    description:
      - V(complete) waits for the cluster and then gives RV(facts); V(gone) waits until there is no such cluster.
      - V(nothing) looks once, and a cluster that has failed is no failure.
    type: str
    choices: [nothing, complete, gone]
    default: nothing
  seconds:
    description: How long to wait.
    type: float
    default: 3900
"""

EXAMPLES = r"""
- name: Cluster is complete
  magflow.platform.magnum_cluster_info:
    cloud: mycloud
    name: ml
    wait_for: complete
  register: found
"""

RETURN = r"""
cluster:
  description: Magnum's id, status and template of the cluster; empty where there is none.
  returned: success
  type: dict
template:
  description: Magnum's id of the template; empty where there is none.
  returned: success
  type: dict
facts:
  description: What later stages know of the cluster, in the shape of the stack's output of this name.
  returned: when waited for V(complete)
  type: dict
"""

import contextlib

from ansible_collections.magflow.platform.plugins.module_utils.cloud_door import open_cloud_door

with contextlib.suppress(ImportError):  # told by open_cloud_door
    from magflow.cloud import live_facts, magnum

SHOWN = ("uuid", "name", "status", "status_reason", "cluster_template_id", "stack_id")


def work(module, connection):
    given = module.params
    name, patience = given["name"], live_facts.Patience(given["seconds"])
    answer = {"changed": False}
    cluster = None
    if given["wait_for"] == "complete":
        cluster = live_facts.complete(connection, name, patience)
        answer["facts"] = live_facts.facts(connection, cluster).model_dump(mode="json")
    elif given["wait_for"] == "gone":
        live_facts.gone(connection, name, patience)
    else:
        cluster = magnum.show(connection, name)
    template = live_facts.template(connection, name)
    return {
        **answer,
        "cluster": {key: cluster.get(key) for key in SHOWN} if cluster else {},
        "template": {"uuid": template["id"], "name": name} if template else {},
    }


def main():
    spec = {
        "name": {"type": "str", "required": True},
        "wait_for": {"type": "str", "choices": ["nothing", "complete", "gone"], "default": "nothing"},
        "seconds": {"type": "float", "default": 3900},
    }
    open_cloud_door(spec, work)


if __name__ == "__main__":
    main()
