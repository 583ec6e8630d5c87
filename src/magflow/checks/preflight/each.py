"""What the preflight checks share: a look at every cluster, and what a service that does not answer means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import openstack.exceptions

from magflow.checks.model import NotApplicable
from magflow.checks.world import World
from magflow.cloud.capacity import Forbidden
from magflow.findings import Finding
from magflow.rules import labels
from magflow.rules.labels.model import Compiled
from magflow.settings import Settings

Rule = Callable[[Settings, Compiled], Iterable[Finding]]


def every(world: World, rule: Rule) -> list[Finding]:
    """What a rule finds in any cluster, each thing once and where it stands in the settings file.

    Args:
        world: of the environment.
        rule: looks at the settings of one cluster and its labels.
    """
    settings = world.settings
    found: dict[tuple[str, str], Finding] = {}
    for name in settings.cluster_names:
        one = settings.of_cluster(name)
        for finding in rule(one, labels.compile(one)):
            path = settings.path_of(name, finding.path)
            found.setdefault((finding.code, path), replace(finding, path=path))
    return list(found.values())


@contextmanager
def told(service: str) -> Iterator[None]:
    """Makes a service that does not answer this user a reason to skip, never a pass.

    Args:
        service: its name, for the reason.
    """
    try:
        yield
    except Forbidden as error:
        raise NotApplicable(error.what) from None
    except openstack.exceptions.ForbiddenException:
        raise NotApplicable(f"{service} does not answer this user (403)") from None
