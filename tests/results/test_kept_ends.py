"""Intervals that take time are found once for each level, however often a result is shown."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import pydpstat

X = np.linspace(20, 60, 600)
AREA = np.repeat(["a", "b", "c"], 200)
BY = {"bounds": (0, 100), "by": AREA, "levels": ["a", "b", "c"], "other": None, "population": True, "rng": 1}
RESULTS = {
    "population": lambda: pydpstat.mean(X, 2.0, **BY),
    "test": lambda: pydpstat.ttest_1samp(X, 41, 2.0, bounds=(0, 100), rng=1),
    "pairs": lambda: pydpstat.mean(X, 2.0, **BY).pairs(),
    "regression": lambda: pydpstat.ols(X / 100, X, 5.0, bounds=[(0, 1), (0, 100)], rng=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_each_level_is_found_once(name):
    result = RESULTS[name]()
    kind = type(result)
    with patch.object(kind, "_compute_all_limits", autospec=True, side_effect=kind._compute_all_limits) as found:
        first = [result.summary().as_text(), result.to_latex(), result.to_html()]
        again = [result.summary().as_text(), result.to_latex(), result.to_html()]
        assert found.call_count == 1 and first == again
        result.conf_int(0.2)
        assert found.call_count == (1 if name == "population" else 2)


@pytest.mark.slow
def test_a_change_of_what_was_returned_changes_nothing_that_is_kept():
    result = RESULTS["population"]()
    ends = result.conf_int(kind="population")
    kept = ends.copy()
    ends.iloc[:, :] = 0.0
    pd.testing.assert_frame_equal(result.conf_int(kind="population"), kept)


def test_results_with_equal_numbers_have_intervals_of_their_own():
    few, many = (pydpstat.proportion(np.repeat([True, False], n), 1e6, rng=1) for n in (50, 500))
    lengths = [float(np.ptp(np.asarray(each.conf_int(kind="population")))) for each in (few, many)]
    assert lengths[1] < 0.5 * lengths[0]
