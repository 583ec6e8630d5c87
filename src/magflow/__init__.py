"""Magflow turns a bare-metal OpenStack cloud into a machine-learning platform and proves each step."""

__version__ = "0.1.0"
