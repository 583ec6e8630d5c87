"""Kubernetes: a client, server-side apply, node pools, ingress. The Ansible modules and the checks are its callers."""
