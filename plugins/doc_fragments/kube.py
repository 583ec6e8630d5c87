# Copyright: The Magflow authors
# SPDX-License-Identifier: Apache-2.0
"""Documentation that the doors to magflow.kube share."""

from __future__ import annotations


class ModuleDocFragment:
    """The kubeconfig option, requirements and attributes."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - The cluster's kubeconfig.
      - Without it, the first file of the environment variable E(KUBECONFIG) is used.
    type: path
    required: true
requirements:
  - magflow
notes:
  - Runs on the host that has the package C(magflow), which is the one that runs the playbook.
attributes:
  check_mode:
    support: full
    description: Can run in check mode and says what would change; the API server works it out in a dry run.
  diff_mode:
    support: full
    description: Shows what changes; values of secrets are shown as digests.
"""
