"""How many of the package's modules one fit passes through."""

from __future__ import annotations

import sys

import pytest

from pydpstat.dppack import LogisticRegressionDP
from tests.dppack.cms_models import SMALL, X, Y


def entered(call):
    """Return the modules of the package whose functions run during a call, and how often they do."""
    calls = {}

    def note(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.split(".")[0] == "pydpstat":
            calls[module] = calls.get(module, 0) + 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("method", ["objective", "output"])
def test_a_logistic_regression_passes_through_20_modules(method):
    model = LogisticRegressionDP("l2", 2.0, 1.0, method)
    # the first fit imports what is imported late
    model.fit(X, Y, *SMALL)
    calls = entered(lambda: model.fit(X, Y, *SMALL))
    assert "pydpstat._release.model" in calls
    assert len(calls) <= 20, sorted(calls)
