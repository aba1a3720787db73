"""Results of private tests: what they show, and what they refuse."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.results import InferenceResults


@dataclass(frozen=True)
class Around:
    """An interval whose ends depend on the level in a way that is easy to see."""

    center: float

    def ends(self, alpha):
        return self.center - 1.0 / alpha, self.center + 1.0 / alpha


@pytest.fixture
def tested():
    noisy = pydpstat.count(np.array([True, False, True]), 1.0, rng=1)
    return InferenceResults.of(
        noisy,
        test="Sign test",
        statistic=2.0,
        pvalue=0.5,
        null=(("median", 0.0),),
        estimates=(("median", 0.25),),
        parameter="median",
        interval=Around(0.25),
        validity="exact",
        assumptions=("records are independent",),
        remarks=("Nothing can be said.",),
    )


def test_what_a_release_says_goes_on(tested):
    noisy = pydpstat.count(np.array([True, False, True]), 1.0, rng=1)
    assert tested.guarantee == noisy.guarantee and tested.claim == noisy.claim
    assert tested.nobs == 3 and tested.reproducible and tested.call == noisy.call
    assert dict(tested.released) == {"count": float(noisy)}


def test_levels(tested):
    assert tested.conf_int() == pytest.approx((0.25 - 20.0, 0.25 + 20.0), rel=1e-12)
    assert tested.conf_int(level=0.5).low == -1.75
    for level in (0.05, 1.0, float("nan"), "0.95"):
        with pytest.raises(PydpstatError, match="level must be at least 0.5 and below 1"):
            tested.conf_int(level)


def test_every_form_has_the_whole_result(tested):
    text = tested.summary().as_text()
    for shown in ("Sign test", "median = 0", "two-sided", "exact", "p-value", "released count"):
        assert shown in text
    for line in ("Assumptions: records are independent.", "Nothing can be said.", "Call: count("):
        assert line in text
    content = json.loads(json.dumps(tested.to_dict()))
    assert content["pvalue"] == 0.5 and content["validity"] == "exact"
    assert tested.params["median"] == 0.25
    again = pickle.loads(pickle.dumps(tested))
    assert again.to_dict() == tested.to_dict() and again.conf_int(0.9) == tested.conf_int(0.9)
    assert "p = 0.5" in repr(tested)
