"""Statistics by group and by unit: the order of records and the parts that they come in change nothing."""

import numpy as np
import pandas as pd
import pytest

from pydpstat import RRandom
from tests.statistics.grouped import OPEN, STATISTICS, data_of, released
from tests.statistics.pieces import pieces  # noqa: F401

WHOLE = {"by": ["g", "h"], "levels": [["a", "b"], [0, 1]]}
SCOPES = {
    "groups": (["g", "h"], WHOLE),
    "units": (["p"], {"unit": "p", "max_records": 3}),
    "both": (["g", "h", "p"], {**WHOLE, "unit": "p", "max_records": 3, "max_groups": 2}),
}


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", STATISTICS)
def test_the_order_of_records_and_parts_change_nothing(name, scope, neighbors, pieces):  # noqa: F811
    used, options = SCOPES[scope]
    data = data_of(name)[["x", "y", "z", *used]]
    shuffled = data.sample(frac=1, random_state=1)
    given = [data, shuffled, *(pieces(data, number, number) for number in (1, 2, 31))]
    how = {**options, "neighbors": neighbors}
    once, *again = (released(name, each, 1.0, **how, rng=RRandom(5)).value for each in given)
    for value in again:
        np.testing.assert_array_equal(value, once)


@pytest.mark.parametrize("missing", ["drop", True, False])
def test_missing_truth_values_of_a_unit_are_chosen_in_whatever_order(missing):
    rng = np.random.default_rng(8)
    values = np.array([True, False, None], dtype=object)[rng.integers(0, 3, 300)]
    data = pd.DataFrame({"t": values, "p": rng.integers(0, 30, 300)})
    options = {"unit": "p", "max_records": 3, "missing": missing, **OPEN}
    orders = [data.iloc[rng.permutation(300)] for _ in range(10)]
    assert len({float(released("count", each, 1.0, **options)) for each in orders}) == 1
