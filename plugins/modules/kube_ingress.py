#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: kube_ingress
short_description: Serve the platform's hosts through Ingress objects
version_added: 0.1.0
description:
  - Chooses the nodes that take the traffic, labels them C(role=ingress) and writes one Ingress object a host.
  - An object is written whether or not its backend is there; the result says which is. The backend is a service that is
    found in the host's namespace, else the given one.
author:
  - The Magflow authors
extends_documentation_fragment:
  - magflow.platform.kube
options:
  hosts:
    description: Hosts by key (kubeflow, tensorboard, mnist, grafana or others).
    type: dict
    required: true
  nodes:
    description: C(first-worker), or a dictionary with C(group) (a node group) or C(pattern) (a glob of node names).
    type: raw
    default: first-worker
  domain:
    description: C(nip.io), C(sslip.io), or a domain of your own.
    type: str
    required: true
  style:
    description: How the address is written in the name.
    type: str
    choices: [dots, dashes]
    default: dots
  ingress_class:
    description: Name of the IngressClass.
    type: str
    required: true
  address_type:
    description: Which address of the first node the names carry.
    type: str
    choices: [InternalIP, ExternalIP]
    default: InternalIP
  groups:
    description: Known node groups.
    type: list
    elements: str
    default: []
  cluster:
    description: Name of the cluster, which its nodes' names start with.
    type: str
    default: ""
  deadline:
    description: Seconds that passing errors may be waited for.
    type: float
    default: 60
"""

EXAMPLES = r"""
- name: Dashboard has a host
  magflow.platform.kube_ingress:
    kubeconfig: runs/sandbox/kubeconfig
    domain: nip.io
    ingress_class: traefik
    hosts:
      kubeflow:
        name: kubeflow
        namespace: kubeflow
        service: ambassador
        port: 80
"""

RETURN = r"""
nodes:
  description: Names of the nodes that take the traffic.
  returned: success
  type: list
  elements: str
addresses:
  description: Their addresses.
  returned: success
  type: list
  elements: str
routes:
  description: What is served how.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the host.
      type: str
      returned: always
    object_name:
      description: Name of the Ingress object.
      type: str
      returned: always
    host:
      description: Full name of the host.
      type: str
      returned: always
    namespace:
      description: Namespace of the object and its service.
      type: str
      returned: always
    service:
      description: Backend service.
      type: str
      returned: always
    port:
      description: Backend port.
      type: int
      returned: always
    found:
      description: Whether the service is there.
      type: bool
      returned: always
    elsewhere:
      description: A fitting service in another namespace, which this object cannot reach.
      type: str
      returned: always
objects:
  description: What became of each object, as in M(magflow.platform.kube_apply).
  returned: success
  type: list
  elements: dict
"""

import contextlib
from dataclasses import asdict

from ansible_collections.magflow.platform.plugins.module_utils.door import applied, open_door

with contextlib.suppress(ImportError):  # told by open_door
    from magflow.kube.ingress import Host
    from magflow.kube.ingress_apply import Wish, apply_ingress


def work(module, kube):
    given = module.params
    wish = Wish(
        hosts={key: Host.of(key, host) for key, host in given["hosts"].items()},
        nodes=given["nodes"],
        domain=given["domain"],
        style=given["style"],
        class_name=given["ingress_class"],
        address_type=given["address_type"],
        groups=tuple(given["groups"]),
        cluster=given["cluster"],
    )
    plan, done = apply_ingress(kube, wish, dry_run=module.check_mode, deadline=given["deadline"])
    routes = [asdict(route) for route in plan.routes]
    return {"nodes": list(plan.nodes), "addresses": list(plan.addresses), "routes": routes, **applied(done)}


def main():
    spec = {
        "hosts": {"type": "dict", "required": True},
        "nodes": {"type": "raw", "default": "first-worker"},
        "domain": {"type": "str", "required": True},
        "style": {"type": "str", "choices": ["dots", "dashes"], "default": "dots"},
        "ingress_class": {"type": "str", "required": True},
        "address_type": {"type": "str", "choices": ["InternalIP", "ExternalIP"], "default": "InternalIP"},
        "groups": {"type": "list", "elements": "str", "default": []},
        "cluster": {"type": "str", "default": ""},
        "deadline": {"type": "float", "default": 60},
    }
    open_door(spec, work)


if __name__ == "__main__":
    main()
