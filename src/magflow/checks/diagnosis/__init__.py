"""Why a cluster stands as it does: gathered evidence in, a verdict with ranked causes out. Nothing is asked here."""

from magflow.checks.diagnosis.model import Cause, Diagnosis, Verdict
from magflow.checks.diagnosis.verdict import diagnose

__all__ = ["Cause", "Diagnosis", "Verdict", "diagnose"]
