"""Every code that the guard, the look at files and the known errors give is explained in docs/plan-guard.md."""

import re

from magflow.engine.terraform import provider_errors
from magflow.paths import root

SOURCES = [
    *(root() / "src/magflow/engine/plan").glob("guard*.py"),
    *(root() / "src/magflow/rules/terraform_files").glob("*.py"),
]


def test_each_code_is_explained():
    text = (root() / "docs" / "plan-guard.md").read_text()
    codes = {known.code for known in provider_errors.KNOWN}
    for source in SOURCES:
        codes |= set(re.findall(r'(?:error|warning)\(\s*"([A-Z_]+)"', source.read_text()))
    codes |= {f"PLAN_{verb}_{thing}" for verb in ("REPLACES", "DELETES") for thing in ("CLUSTER", "NODEGROUP")}
    assert {code for code in codes if f"`{code}`" not in text} == set()
    assert len(codes) > 20
