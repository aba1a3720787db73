"""Coefficients that a release says nothing about, and levels that look empty: what results show of them."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

import pydpstat

DRAW = np.random.default_rng(4)
N = 2000
REGIONS = [f"r{place:02}" for place in range(12)]
FRAME = pd.DataFrame(
    {
        "x": DRAW.uniform(0, 10, N),
        "region": DRAW.choice(REGIONS, N),
        "sex": DRAW.choice(["f", "m"], N),
        "y": DRAW.random(N) < 0.5,
    }
)
FRAME["z"] = FRAME.x + DRAW.normal(0, 1, N) + (FRAME.sex == "m")


def logit(epsilon, formula="y ~ C(region)", **own):
    levels = {"region": REGIONS, "sex": ["f", "m"]}
    return pydpstat.logit(formula, FRAME, epsilon, **{"levels": levels, "rng": 1, **own})


def ols(epsilon, sexes, formula="z ~ x + C(sex)", **own):
    bounds = {"z": (-5, 15), "x": (0, 10)}
    return pydpstat.ols(formula, FRAME, epsilon, bounds=bounds, levels={"sex": sexes}, rng=1, **own)


RELEASES = {
    "logit": lambda: logit(0.005, levels={"region": REGIONS}),
    "moments": lambda: ols(1.0, ["F", "M"]),
    "ranks": lambda: ols(0.001, ["f", "m"], method="rank", interval=True),
    "slopes": lambda: pydpstat.ols(
        FRAME.z, FRAME.x, 1e-4, bounds=[(-5, 15), (0, 10)], method="rank", interval=True, rng=1
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_a_coefficient_without_a_standard_error_has_no_estimate(name):
    r = RELEASES[name]()
    gone, ends, frame, text = np.isinf(r.bse), r.conf_int(), r.to_frame(), r.summary().as_text()
    assert gone.any() and (r.params.isna() == gone).all()
    assert np.isinf(ends[gone]).any(axis=1).all() and not ends.isna().any(axis=None)
    shown = {"coef": r.params, "std err": r.bse, "statistic": r.tvalues, "p-value": r.pvalues}
    shown |= {"lower": ends[0], "upper": ends[1]}
    assert frame.columns.tolist() == [*shown, "p"]
    assert all(frame[column].equals(each.rename(column)) for column, each in shown.items())
    content = json.loads(json.dumps(r.to_dict(), allow_nan=False))
    rows = {line.split("  ")[0].strip(): line for line in text.splitlines()}
    assert "nan" not in text
    for each in r.params.index:
        missing = bool(gone[each])
        assert (content["params"][each] is None) == (content["bse"][each] is None) == missing
        # the page has C(sex)[T.f] as "sex: f"
        shown = re.sub(r"(?:C\()?(\w+)\)?\[T\.(.*)\]", r"\1: \2", each)
        assert (rows[shown].removeprefix(shown).split()[:2] == ["-", "-"]) == missing
    # the reason names the coefficient
    hidden = ("The noise", "Because of the noise", "The release is uninformative", "There is no estimate")
    for each in r.params.index[gone]:
        level = each.replace("[T.", " = ").removesuffix("]")
        assert any(
            (each in why and why.startswith(hidden)) or (level in why and "cannot be distinguished from 0" in why)
            for why in r.remarks
        )


def test_predictions_that_need_a_missing_coefficient_are_missing():
    r = ols(50.0, ["f", "m", "unheard"])
    assert r.params.isna().tolist() == [False, False, False, True]
    found = r.predict({"x": [5.0, 5.0, 5.0], "sex": ["f", "m", "unheard"]})
    assert found[:2] == pytest.approx([5.0, 6.0], abs=0.5) and math.isnan(found[2])


def test_levels_of_another_spelling_are_said_to_look_empty():
    r = ols(5.0, ["F", "M"])
    (said,) = [each for each in r.remarks if "cannot be distinguished from 0" in each]
    assert said == (
        "The released numbers of records of C(sex) = M cannot be distinguished from 0: few records have this "
        "level, or none, for example because it is misspelled. A value that is none of the levels "
        "counts as F."
    )
    assert math.isnan(r.params["C(sex)[T.M]"]) and not math.isnan(r.params["x"])
    assert "cannot be distinguished from 0" in " ".join(r.summary().as_text().split())
    several = ols(5.0, ["F", "M", "X"], formula="z ~ C(sex) + x").remarks
    assert any("of C(sex) = M, C(sex) = X cannot" in each for each in several)
    # nobody is in the reference
    first = ols(5.0, ["F", "f", "m"]).remarks
    assert any("of C(sex) = F cannot" in each for each in first)


def test_levels_that_are_there_are_not():
    for r in (
        ols(5.0, ["f", "m"]),
        ols(5.0, ["m", "f"]),
        logit(5.0, "y ~ C(sex)", levels={"sex": ["f", "m"]}),
    ):
        assert not any("cannot be distinguished" in each for each in r.remarks)


def test_logistic_regressions_say_it_of_predictors_and_of_the_response():
    r = logit(5.0, "y ~ C(sex)", levels={"sex": ["f", "M"]}, rng=2)
    assert any("of C(sex) = M cannot be distinguished from 0" in each for each in r.remarks)
    words = FRAME.assign(y=np.where(FRAME.y, "yes", "no"))
    own = {"bounds": (0, 10), "rng": 1}
    r = pydpstat.logit("y ~ x", words, 5.0, levels={"y": ["no", "Yes"]}, **own)
    assert any("of y = Yes cannot be distinguished from 0" in each for each in r.remarks)
    r = pydpstat.logit("y ~ x", words, 5.0, levels={"y": ["no", "yes"]}, **own)
    assert not any("cannot be distinguished" in each for each in r.remarks)


def test_declared_categories_may_be_empty_but_are_not_misspelled():
    data = FRAME.assign(sex=pd.Categorical(FRAME.sex, ["f", "m", "x"]))
    bounds = {"z": (-5, 15), "x": (0, 10)}
    r = pydpstat.ols("z ~ x + C(sex)", data, 5.0, bounds=bounds, levels="declared", rng=1)
    (said,) = [each for each in r.remarks if "cannot be distinguished from 0" in each]
    assert said.endswith("C(sex) = x cannot be distinguished from 0: few records have this level, or none.")
