"""What can be decided from the settings and from tables alone: Magnum's labels, and which versions go together."""
