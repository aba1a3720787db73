"""Warnings that are attributed to the caller's line and shown once for each line."""

from __future__ import annotations

import math
import sys
import warnings
from types import FrameType

from pydpstat.errors import BudgetWarning, LargeEpsilonWarning, PrivacyWarning, UsageWarning

_PACKAGE = __name__.partition(".")[0]
# above this a suspicion of 10 % may become one of more than 99.9 %
LARGE_EPSILON = 10.0


def warn_privacy(text: str, *, row: str, use: str) -> None:
    """Warn that a release guarantees less than it claims, at the caller's line outside this package.

    The text has the true guarantee; `row` identifies the finding and `use` the sound function, as in `PrivacyWarning`.
    Python's warning filters apply. If they show a warning once, it is once for each line and row, even if the figures
    in the text differ.
    """
    _warn_at_frame(_find_caller(), PrivacyWarning(text, row=row, use=use), row)


def warn_uncharged(text: str) -> None:
    """Warn that a release is not charged to a budget: once for each line, whichever budget the text names."""
    _warn_at_frame(_find_caller(), BudgetWarning(text), "unpaid")


def warn_usage(text: str, topic: str = "") -> None:
    """Warn that a call may not do what the user intends: once for each line and topic."""
    _warn_at_frame(_find_caller(), UsageWarning(text), topic or text)


def warn_large_epsilon(epsilon: float, name: str = "epsilon", hint: str = "") -> None:
    """Warn of an epsilon above `LARGE_EPSILON`, given as the argument `name`; the hint says what may be meant."""
    if LARGE_EPSILON < epsilon < math.inf:
        # the value may be data in another argument's place
        text = (
            f"{name} is above {LARGE_EPSILON:g}, where a guarantee says next to nothing: one record may change the "
            f"probability of a result by a factor of {math.exp(LARGE_EPSILON):,.0f} and more. "
            f"{hint or 'A value up to 1 is usual.'}"
        )
        _warn_at_frame(_find_caller(), LargeEpsilonWarning(text), "large epsilon")


def note_r_warning(text: str) -> None:
    """Issue a warning of R's that is not about privacy."""
    _warn_at_frame(_find_caller(), UserWarning(text), text)


def _warn_at_frame(frame: FrameType, warning: Warning, topic: str) -> None:
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    line, kind = frame.f_lineno, type(warning)
    warning_key, topic_key = (str(warning), kind, line), (topic, kind, line, "topic")
    if topic_key in registry:
        # Python compares texts; a different figure from the same line is not shown again
        registry[warning_key] = True
    warnings.warn_explicit(
        warning, kind, frame.f_code.co_filename, line, frame.f_globals.get("__name__", "<unknown>"), registry
    )
    if warning_key in registry:
        registry[topic_key] = True


def _find_caller() -> FrameType:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return frame
