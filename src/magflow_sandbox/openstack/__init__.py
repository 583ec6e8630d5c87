"""The OpenStack of the sandbox: one file a service, configuration as data, no message queue and no agents."""
