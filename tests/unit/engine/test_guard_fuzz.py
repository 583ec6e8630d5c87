"""Whatever a plan's JSON holds, the guard gives findings or says that it is no plan."""

import copy
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from magflow.engine.plan import file as plan_file
from magflow.engine.plan import guard
from magflow.errors import CannotTell

PLAN = json.loads((Path(__file__).parent / "data" / "plan-replaces-cluster.json").read_text())
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value, path=()):
    """The path of everything in a value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


PLACES = [path for path in places(PLAN) if path]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), value=ANYTHING)
def test_a_plan_with_one_thing_changed(tmp_path, place, value):
    plan = copy.deepcopy(PLAN)
    inner = plan
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan))
    try:
        found = guard.examine(plan_file.load(file))
    except CannotTell as error:
        assert error.hint
    else:
        assert all(isinstance(finding.path, str) for finding in found)
        assert "PRIVATE KEY" not in repr(found)
