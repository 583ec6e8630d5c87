"""External programs of the sandbox: found in PATH where the version fits, else built once into a lasting cache.

Usage::

    tools = Toolchain()                          # cache: $MAGFLOW_CACHE or ~/.cache/magflow
    tools.ensure("demo", progress)               # builds what is missing, a line of progress each
    tools.path("etcd")                           # never builds; SandboxError when it is missing
    tools.path("kube-apiserver", "v1.36.3")      # of this version
    tools.module_dir("training-operator")        # data files of the module (here: its `manifests`)
    tools.venv("openstack")                      # folder of the Python environment
    tools.unpacked("mariadb")                    # folder of unpacked Debian packages, None when the program is in PATH
    tools.terraform(), tools.cli_config()        # program (terraform or tofu) and TF_CLI_CONFIG_FILE

``python -m magflow_sandbox.toolchain ensure --tier demo`` does the same from a shell.
"""

from magflow_sandbox.toolchain.chain import Toolchain
from magflow_sandbox.toolchain.table import TIERS, Tier, Tool

__all__ = ["TIERS", "Tier", "Tool", "Toolchain"]
