"""Runs stages and checks: run folder, journal, resume, progress, report."""
