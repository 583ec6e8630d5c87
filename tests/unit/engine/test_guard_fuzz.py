"""Whatever a plan's JSON holds, the guard gives findings or says that it is no plan."""

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from tests.unit.mutants import mutants

from magflow.engine.plan import file as plan_file
from magflow.engine.plan import guard
from magflow.errors import CannotTell

PLAN = json.loads((Path(__file__).parent / "data" / "plan-replaces-cluster.json").read_text())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=mutants(PLAN))
def test_a_plan_with_one_thing_changed(tmp_path, plan):
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan))
    try:
        found = guard.examine(plan_file.load(file))
    except CannotTell as error:
        assert error.hint
    else:
        assert all(isinstance(finding.path, str) for finding in found)
        assert "PRIVATE KEY" not in repr(found)
