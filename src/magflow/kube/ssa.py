"""One server-side apply: the API server merges, and keeps which manager owns which field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from magflow.kube.client import Kube
from magflow.kube.errors import ApiError, Conflict
from magflow.kube.objects import Identity, Object


def server_side_apply(kube: Kube, obj: Object, manager: str, *, force: bool = False, dry_run: bool = False) -> Object:
    """Applies one object; fields that this manager sent before and no longer sends are removed.

    Args:
        kube: the cluster.
        obj: what shall be; its namespace must be given where the kind has one.
        manager: the field manager.
        force: take fields over from other managers.
        dry_run: let the server work it out and write nothing.

    Returns:
        the object as it then is.

    Raises:
        Conflict: when another manager owns a field with another value.
        ApiError: when the server refuses. Unknown fields are refused, not dropped.
    """
    query = {
        "fieldManager": manager,
        "force": "true" if force else "false",
        "fieldValidation": "Strict",
        "dryRun": "All" if dry_run else None,
    }
    try:
        return kube.patch(obj, obj, content_type="application/apply-patch+yaml", query=query)
    except ApiError as error:
        fields = [_owner(cause) for cause in error.causes if cause.get("reason") == "FieldManagerConflict"]
        if fields:
            raise Conflict(str(Identity.of(obj)), fields) from None
        raise


def _owner(cause: Mapping[str, Any]) -> tuple[str, str]:
    # the server's words: conflict with "kubectl-edit" using apps/v1
    found = re.search(r'conflict with "([^"]+)"', str(cause.get("message", "")))
    return (found.group(1) if found else "another manager", str(cause.get("field", "")))
