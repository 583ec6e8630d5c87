#!/usr/bin/python
# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: handoff
short_description: Turn Magflow's settings into the variables of the roles
version_added: 0.1.0
description:
  - Reads the settings that were given as extra variables (C(-e @variables/example.yml)), checks them and gives the flat
    variables of the roles. A mistake is one failure with the file, the line and what to do.
  - It is an action plugin and runs in the Python that runs the playbook.
author:
  - The Magflow authors
options:
  base:
    description: Folder that relative paths in the settings start from, when they came from no file of extra variables.
    type: path
    default: .
  to:
    description:
      - V(stages) gives the variables of the roles that are stages.
      - V(magnum_cluster) gives those of the role C(magnum_cluster), with the folder of the runs where the
        settings came from a file. What the modules of C(openstack.cloud) cannot do is a failure that names the keys.
    type: str
    choices: [stages, magnum_cluster]
    default: stages
requirements:
  - magflow
"""

EXAMPLES = r"""
- name: Settings are handed over
  magflow.platform.handoff:
  register: magflow_handed
"""

RETURN = r"""
variables:
  description: The variables of the roles.
  returned: success
  type: dict
"""
