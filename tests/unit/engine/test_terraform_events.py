"""Terraform's events and errors, in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from magflow.engine.terraform.events import Diagnostic, Event, error, parse, plain_errors
from magflow.engine.terraform.provider_errors import StatusRace
from magflow.errors import CannotTell

LOG = Path("/runs/x/terraform.log")


def line(**data: Any) -> str:
    return json.dumps({"@level": "info", "@message": "a message", **data})


def diagnostic(summary: str, detail: str = "", address: str | None = None, **more: Any) -> Event:
    found = parse(
        line(
            type="diagnostic",
            diagnostic={"severity": "error", "summary": summary, "detail": detail, "address": address, **more},
        )
    )
    assert found
    return found


def test_progress() -> None:
    hook = {"resource": {"addr": "module.a.b.c"}, "action": "create", "elapsed_seconds": 20}
    assert parse(line(type="apply_progress", hook=hook)) == Event(
        "apply_progress", "a message", address="module.a.b.c", action="create", elapsed=20.0
    )


@pytest.mark.parametrize("text", ["panic: runtime error", "[1]", "{"])
def test_other_lines_are_text(text: str) -> None:
    assert parse(text + "\n") == Event("text", text)


def test_an_empty_line_is_nothing() -> None:
    assert parse("\n") is None


def test_the_sentence_of_a_rule_is_the_error() -> None:
    event = diagnostic(
        "Invalid value for variable",
        "name must be short; got 'x'.\n\nThis was checked by the validation rule at m.tf:3,3-13.",
        range={"filename": "m.tf", "start": {"line": 3}},
    )
    found = error("plan", [event], 1, LOG)
    assert found.what == "name must be short; got 'x'."
    assert found.where == f"m.tf:3, log {LOG}"


def test_the_service_s_own_words_stay() -> None:
    text = (
        "Error creating openstack_containerinfra_cluster_v1: Bad request with: [POST ...]: Unable to find flavor nope"
    )
    assert error("apply", [diagnostic(text)], 1, LOG).what == text


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("openstack_compute_flavor_v2", "flavor"),
        ("openstack_images_image_v2", "image"),
        ("openstack_networking_network_v2", "network"),
    ],
)
def test_a_look_up_without_result_names_what_was_looked_up(kind: str, word: str) -> None:
    text = "Your query returned no results. Please change your search criteria and try again."
    event = diagnostic(text, address=f'module.stack.data.{kind}.this["nope"]')
    assert error("plan", [event], 1, LOG).what == f"the cloud has no {word} 'nope' that this project may use"


def test_all_errors_are_told_once() -> None:
    events = [diagnostic("first", "why"), diagnostic("second"), diagnostic("second"), diagnostic("first", "why")]
    assert error("plan", events, 1, LOG).what == "first: why; second"


def test_a_status_from_before_the_request() -> None:
    event = diagnostic(
        "Error waiting for openstack_containerinfra_nodegroup_v1 1 to become deleted: unexpected state "
        "'CREATE_COMPLETE', wanted target 'DELETE_COMPLETE'. last error: %!s(<nil>)"
    )
    found = error("apply", [event], 1, LOG)
    assert isinstance(found, StatusRace)
    assert found.code == "TRANSIENT_STATUS_RACE"
    assert "run the same command again" in str(found)
    assert Diagnostic("error", "Unable to find flavor nope").race is None
    both = error("apply", [event, diagnostic("Unable to find flavor nope")], 1, LOG)
    assert not isinstance(both, StatusRace) and "flavor nope" in both.what


def test_a_crash_tells_its_last_line() -> None:
    found = error("apply", [Event("version", "Terraform"), Event("text", "panic: oops")], 2, LOG)
    assert found.what == "terraform apply failed (exit 2): panic: oops"


def test_a_killed_terraform_may_have_forgotten_something() -> None:
    found = error("apply", [], -9, LOG)
    assert found.what == "terraform apply was ended by signal 9"
    assert "missing in its state" in (found.hint or "")


def test_a_cloud_that_refuses_is_told_once() -> None:
    events = [
        diagnostic(f"Error creating OpenStack {service} client: Post https://k/v3/auth/tokens: x509: unknown authority")
        for service in ("compute", "image", "container infra")
    ]
    found = error("plan", events, 1, LOG)
    assert isinstance(found, CannotTell)
    assert found.what.endswith("does not answer: Post https://k/v3/auth/tokens: x509: unknown authority")


def test_plain_errors_of_init() -> None:
    text = """
╷
│ Error: Failed to query available provider packages
│
│ Could not retrieve the list of available versions for provider
│ terraform-provider-openstack/openstack: no available releases
╵
"""
    (event,) = plain_errors(text)
    found = error("init", [event], 1, LOG)
    assert found.what == (
        "Failed to query available provider packages: Could not retrieve the list of available versions for provider "
        "terraform-provider-openstack/openstack: no available releases"
    )
