"""Faults: what the sandbox does wrong when it is asked to, for tests and for training operators."""
