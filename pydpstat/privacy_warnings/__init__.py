"""The warnings about releases that keep less than they claim, a module for each part of the package."""

from pydpstat.privacy_warnings import statistics
from pydpstat.privacy_warnings.warn import note, warn

__all__ = ["note", "statistics", "warn"]
