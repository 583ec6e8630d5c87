"""The sandbox cloud: real OpenStack services and Kubernetes control planes on one Linux machine.

Imports nothing of ``magflow``, and ``magflow`` nothing of it: the two meet in a clouds.yaml and a kubeconfig.
"""
