# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0
"""Documentation that the doors to magflow.cloud share."""

from __future__ import annotations


class ModuleDocFragment:
    """The options that name the cloud, and requirements."""

    DOCUMENTATION = r"""
options:
  cloud:
    description: Entry of clouds.yaml. Variables of the shell (E(OS_*)) do not count.
    type: str
    required: true
  clouds_file:
    description: The clouds.yaml to read; without it, the places that openstacksdk searches.
    type: path
requirements:
  - magflow
notes:
  - Runs on the host that has the package C(magflow), which is the one that runs the playbook.
"""
