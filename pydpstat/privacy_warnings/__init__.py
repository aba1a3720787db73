"""The warnings about releases that keep less than they claim, a module for each part of the package."""

from pydpstat.privacy_warnings import choices, diffpriv, kst, models, statistics, tuning
from pydpstat.privacy_warnings.warn import note, warn

__all__ = ["choices", "diffpriv", "kst", "models", "note", "statistics", "tuning", "warn"]
