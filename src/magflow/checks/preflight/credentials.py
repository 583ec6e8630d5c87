"""Preflight of who we are to the cloud: accepted, in which project, with which rights, and for how long."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from magflow.checks.model import NotApplicable, Problem, check, raise_for
from magflow.checks.preflight.each import told
from magflow.checks.world import World
from magflow.cloud.connection import readable
from magflow.findings import Finding, error, warning

SOON = dt.timedelta(days=14)

MEMBER = frozenset({"member", "manager", "admin", "_member_"})
"""Roles that may make things of a project (Keystone's default roles, and the older _member_)."""


@check("cloud-accepts-credentials", "the cloud accepts the credentials", fatal=True)
def cloud_accepts_credentials(world: World) -> str:
    """Authenticates, and says whose credentials they are and in which project Keystone put them."""
    cloud = world.cloud
    auth: Any = cloud.session.auth
    access = auth.get_access(cloud.session)
    if not access.project_id:
        raise Problem("the token has no project", hint="give the cloud a project in clouds.yaml")
    return f"user {access.username} in project {access.project_name} ({access.project_id})"


@check("credential-may-delegate", "the credential may make others, as Magnum does for each cluster", fatal=True)
def credential_may_delegate(world: World) -> str:
    """A restricted application credential cannot make the trust or credential of a cluster (Keystone API guide)."""
    credential = _token(world).get("application_credential")
    if credential is None:
        return "not an application credential"
    if credential.get("restricted", True):
        raise Problem(
            f"application credential '{credential.get('name')}' is restricted, and Magnum would be refused",
            hint="make one with `openstack application credential create --unrestricted`; its risk: whoever holds "
            "it can make further credentials, so keep it in a file of mode 0600 and let it expire",
            final=True,
        )
    return f"application credential '{credential.get('name')}' is unrestricted"


@check("credential-lasts", "the application credential holds longer than the work takes")
def credential_lasts(world: World) -> str:
    """One that ends while a cluster is made leaves half of one."""
    credential = _token(world).get("application_credential")
    if credential is None:
        raise NotApplicable("not an application credential; passwords tell no end")
    with readable("Keystone, application credential"), told("Keystone"):
        service: Any = world.cloud.identity
        answer = service.get(f"/users/{world.cloud.current_user_id}/application_credentials/{credential['id']}")
    if answer.status_code >= 400:
        raise NotApplicable(f"Keystone does not tell when it ends ({answer.status_code})")
    ends = answer.json()["application_credential"].get("expires_at")
    if not ends:
        return "it does not end"
    when = dt.datetime.fromisoformat(str(ends).replace("Z", "+00:00"))
    when = when if when.tzinfo else when.replace(tzinfo=dt.UTC)
    minutes = max(world.settings.of_cluster(name).cluster.create_timeout for name in world.settings.cluster_names)
    raise_for(_ending(when, dt.timedelta(minutes=minutes), str(credential.get("name"))))
    return f"until {when:%Y-%m-%d %H:%M} UTC"


def _ending(when: dt.datetime, work: dt.timedelta, name: str) -> Iterator[Finding]:
    left = when - dt.datetime.now(dt.UTC)
    hint = "make another: openstack application credential create --unrestricted --expiration ..."
    if left < work:
        minutes = f"{left.total_seconds() / 60:.0f} minutes"
        what = f"application credential '{name}' ends in {minutes}, and creation may take {work.seconds // 60}"
        yield error("CREDENTIAL_EXPIRES", name, what, hint)
    elif left < SOON:
        yield warning("CREDENTIAL_EXPIRES", name, f"application credential '{name}' ends on {when:%Y-%m-%d}", hint)


@check("roles-are-enough", "the token's roles may make clusters, and may be handed on to them")
def roles_are_enough(world: World) -> str:
    """Magnum's trust hands the token's own roles on (magnum.conf, [trust] roles; magnum/common/keystone.py)."""
    roles = {role["name"] for role in _token(world).get("roles", [])}
    raise_for(missing_roles(roles, octavia=world.cloud.has_service("load-balancer")))
    return ", ".join(sorted(roles))


def missing_roles(roles: set[str], *, octavia: bool) -> Iterator[Finding]:
    """What a cluster could not do with these roles.

    Args:
        roles: names of the token's roles.
        octavia: whether the cloud has load balancers.
    """
    there = ", ".join(sorted(roles)) or "none"
    if not roles & MEMBER:
        yield error(
            "ROLE_MEMBER_MISSING",
            "roles",
            f"the token has the roles: {there}; none of them may make a cluster",
            "openstack role add --project PROJECT --user USER member",
        )
    if "heat_stack_user" in roles:
        yield error(
            "ROLE_STACK_USER",
            "roles",
            "the token has the role heat_stack_user, to which Heat refuses everything but signals",
            "openstack role remove --project PROJECT --user USER heat_stack_user",
        )
    if octavia and not roles & {"load-balancer_member", "load-balancer_admin", "admin"}:
        yield warning(
            "ROLE_LOAD_BALANCER_MISSING",
            "roles",
            f"the token has the roles: {there}; Octavia's own policy asks for load-balancer_member",
            "openstack role add --project PROJECT --user USER load-balancer_member (not where Octavia's policy takes "
            "Keystone's default roles)",
        )


def _token(world: World) -> dict[str, Any]:
    with readable("Keystone, this token"):
        token = world.cloud.auth_token
        answer = world.cloud.identity.get("/auth/tokens", headers={"X-Subject-Token": token}).json()
    found: dict[str, Any] = answer.get("token", {})
    return found
