"""Kubernetes clusters: real control planes, fake nodes whose pods answer, real programs behind some pods."""
