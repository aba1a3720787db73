"""A value that raises when it is asked anything is missing, and no error tells of it."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import PydpstatError
from tests.neighbors.kinds import objects
from tests.odd_values import ODD, TRACE
from tests.test_error_privacy import said

N = 24
NUMBERS = [place % 7 / 7 for place in range(N)]
TRUTHS = [place % 2 == 0 for place in range(N)]
TEXTS = ["a", "b"] * (N // 2)
IDS = [place // 2 for place in range(N)]
OPEN = {"neighbors": "unbounded", "missing": "drop", "rng": 1}
# what a column of numbers must not have is refused by its type, which the message names
REFUSED = ("must be numbers", "must be truth values", "must identify the unit", "of type", "must be a vector")


def as_series(values):
    return pd.Series(objects(values))


def design(values, **public):
    public = {"bounds": {"z": (0, 1)}, **OPEN, **public}
    return dp.design(pd.DataFrame({"x": as_series(values), "z": (NUMBERS * 2)[: len(values)]}), **public)


def numeric(values):
    return design(values, bounds={"x": (0, 1), "z": (0, 1)})


def textual(values):
    return design(values, levels={"x": ["a", "b"]})


def of_units(values):
    return design(values, unit="x", max_records=2)


CONDITIONS = ("x > 0.2", "x == 0.2", "x != 0.2", "x in (0.2, 0.5)", "0.1 < x <= 0.5", "x > z", "not x > 0.2")
LIKE = ("x == 'a'", "x != 'a'", "x in ('a', 'b')", "not x == 'a'")
# of which nothing may be refused
ALWAYS = {
    **{each: (NUMBERS, lambda v, c=each: numeric(v).subset(c).count(1.0)) for each in CONDITIONS},
    **{f"{each}, counted": (NUMBERS, lambda v, c=each: numeric(v).count(c, 1.0)) for each in CONDITIONS},
    **{each: (TEXTS, lambda v, c=each: textual(v).subset(c).count(1.0)) for each in LIKE},
    "assigned": (NUMBERS, lambda v: numeric(v).assign(big="x > 0.4").mean("z", 1.0, by="big")),
    "by": (TEXTS, lambda v: textual(v).mean("z", 1.0, by="x")),
    "crosstab": (TEXTS, lambda v: dp.crosstab(v, 1.0, levels=["a", "b"], **OPEN)),
    "crosstab of a list": (TEXTS, lambda v: dp.crosstab(list(v), 1.0, levels=["a", "b"], **OPEN)),
    "nunique": (TEXTS, lambda v: dp.nunique(v, 1.0, **OPEN)),
    "any_test": (
        NUMBERS,
        lambda v: dp.any_test(v, np.mean, 1.0, blocks=3, level=0.2, neighbors="unbounded", rng=1),
    ),
}
MEAN = {"bounds": (0, 1), **OPEN}
BY_TYPE = {
    "mean": (NUMBERS, lambda v: dp.mean(v, 1.0, **MEAN)),
    "mean of a list": (NUMBERS, lambda v: dp.mean(list(v), 1.0, **MEAN)),
    "mean of a tuple": (NUMBERS, lambda v: dp.mean(tuple(v), 1.0, **MEAN)),
    "median of a list": (NUMBERS, lambda v: dp.median(list(v), 1.0, **MEAN)),
    "count of a list": (TRUTHS, lambda v: dp.count(list(v), 1.0, **OPEN)),
    "chunks of lists": (NUMBERS, lambda v: dp.mean(iter([{"x": list(v)}]), 1.0, **MEAN)),
    "weights": (NUMBERS, lambda v: dp.weighted_mean(NUMBERS + [0.5], v, 1.0, max_weight=2, **MEAN)),
    "a formula": (
        NUMBERS,
        lambda v: dp.ols("y ~ x", {"x": list(v), "y": NUMBERS + [0.5]}, 1.0, bounds={"x": (0, 1), "y": (0, 1)}, **OPEN),
    ),
    "unit": (IDS, lambda v: dp.mean(NUMBERS + [0.5], 1.0, unit=v, max_records=2, **MEAN)),
    "unit in a list": (IDS, lambda v: dp.mean(NUMBERS + [0.5], 1.0, unit=list(v), max_records=2, **MEAN)),
    "unit of a design": (IDS, lambda v: of_units(v).mean("z", 1.0)),
}


# pandas before 2 ignores what a decimal raises within the statistic of any_test, whose output is not shown
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
@pytest.mark.parametrize("name", ALWAYS)
def test_no_value_of_one_record_raises_an_error(name):
    base, call = ALWAYS[name]
    for odd in ODD.values():
        call(as_series([*base, odd()]))


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_TYPE)
def test_a_value_is_missing_or_refused_by_its_type(name):
    base, call = BY_TYPE[name]
    for kind, odd in ODD.items():
        try:
            call(as_series([*base, odd()]))
        except PydpstatError as error:
            texts = said(error)
            assert any(each in str(error) for each in REFUSED), (kind, error)
            assert not any(TRACE in text for text in texts), kind


@pytest.mark.parametrize("odd", ["a decimal NaN", "a signalling NaN", "a duration of NumPy", "a float that raises"])
def test_what_cannot_be_compared_is_missing(odd):
    values = [*NUMBERS, ODD[odd]()]
    for condition in ("x > 0.2", "not x > 0.2", "x != 0.2"):
        found = [numeric(each).subset(condition).count(50.0).value for each in (values, [*NUMBERS, None])]
        # a duration is known not to be a number that compares, as a text is
        assert abs(found[0] - found[1]) <= (odd == "a duration of NumPy")


@pytest.mark.parametrize("odd", ["a duration of NumPy", "an integer that raises", "a float that raises"])
def test_ids_that_are_no_numbers_are_units(odd):
    data = NUMBERS + [0.5]
    found = dp.mean(data, 50.0, unit=objects([*IDS, ODD[odd]()]), max_records=2, **MEAN)
    assert abs(found.value - np.mean(data)) < 0.2
