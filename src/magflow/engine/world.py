"""The world of an environment, as its run folder knows it."""

from __future__ import annotations

from magflow.checks.world import World
from magflow.engine.run_folder import RunFolder
from magflow.settings_file import Environment


def open_world(env: Environment, run: RunFolder) -> World:
    """The world of an environment, with the facts of its last deploy."""
    return World(settings=env.settings, kubeconfig=run.kubeconfig, known_facts=run.facts())
