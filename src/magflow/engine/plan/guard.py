"""The plan guard: no plan runs that would destroy or replace what work runs on, unless that resource is let through.

Terraform shows such a plan like any other: one label of a cluster, and the cluster with all in it is made anew
(terraform-provider-openstack issue 1625).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from magflow.engine.plan import PlanSummary, guard_rules
from magflow.engine.plan.guard_ways import allowing
from magflow.engine.plan.holdings import TEMPLATE
from magflow.findings import Finding, Severity, warning


def examine(
    plan: PlanSummary,
    allow: Collection[str] = (),
    *,
    tainted_is_broken: bool = False,
    users: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Finding, ...]:
    """What must not happen, or should be known.

    Args:
        plan: what Terraform would do.
        allow: addresses that may be replaced, deleted and so on; exact, and nothing else is let through.
        tainted_is_broken: what is still tainted holds nothing, because recovery has asked Magnum for it.
        users: clusters that Magnum has, by template id: id and name. The plan knows only those of its own state.

    Returns:
        findings in the plan's order; the path of each is the resource's address. What is allowed is a warning.
    """
    found = [
        _allowed(finding, allow)
        for finding in guard_rules.apply(plan, users or {}, tainted_is_broken=tainted_is_broken)
    ]
    return (*found, *_unused(allow, plan))


def asks_for_users(plan: PlanSummary) -> bool:
    """Whether it matters who else uses a template: the plan changes or deletes one."""
    return any(change.kind == TEMPLATE and change.action != "create" for change in plan.changes)


def _allowed(finding: Finding, allow: Collection[str]) -> Finding:
    if finding.severity is not Severity.ERROR:
        return finding
    if finding.path in allow:
        return replace(finding, severity=Severity.WARNING, message=f"{finding.message} (allowed)", hint="")
    return replace(finding, hint=f"{finding.hint}; {allowing(finding.path)}")


def _unused(allow: Iterable[str], plan: PlanSummary) -> Iterator[Finding]:
    there = {change.address for change in plan.changes}
    for address in dict.fromkeys(allow):
        if address not in there:
            yield warning(
                "ALLOW_MATCHES_NOTHING", address, "no change of the plan has this address", "give an address as shown"
            )
