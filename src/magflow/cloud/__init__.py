"""OpenStack: the connection, the cluster's kubeconfig, and the proof that nothing is left."""
