"""A sandbox cloud for each long run."""

from tests.sandbox.conftest import cloud_home

__all__ = ["cloud_home"]
