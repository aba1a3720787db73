"""scikit-learn's own checks of estimators."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="pip install 'pydpstat[sklearn]'")

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from pydpstat.sklearn import LinearRegression, LogisticRegression  # noqa: E402


def clipped(estimator):
    """Return the checks that want an error for an infinite value, which would tell of a record."""
    reason = "an infinite value is clipped, as 1e308 is"
    names = ["check_estimators_nan_inf"]
    names += ["check_supervised_y_no_nan"] * isinstance(estimator, LinearRegression)
    return dict.fromkeys(names, reason)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        LogisticRegression(),
        LinearRegression(),
        # scores on 200 records are good with this epsilon, whatever the seed
        LogisticRegression(20.0, bounds=(-3, 3), neighbors="unbounded"),
        LinearRegression(bounds=(-3, 3), y_bounds=(-3, 3), neighbors="unbounded"),
        LinearRegression(mechanism="gaussian", delta=1e-6),
    ],
    expected_failed_checks=clipped,
)
def test_scikit_learns_own_checks(estimator, check):
    state = np.random.get_state()
    try:
        check(estimator)
    finally:
        # the checks seed NumPy's global state
        np.random.set_state(state)


def test_no_check_is_left_out_but_for_the_score_on_few_records():
    tags = LinearRegression().__sklearn_tags__(), LogisticRegression().__sklearn_tags__()
    assert not any(each.non_deterministic or each.no_validation or each._skip_test for each in tags)
    assert tags[0].regressor_tags.poor_score and not tags[1].classifier_tags.poor_score
    assert not tags[1].classifier_tags.multi_class


@pytest.mark.slow
def test_with_array_apis_no_check_is_skipped():
    code = """
from sklearn.utils.estimator_checks import check_estimator
from pydpstat.sklearn import LinearRegression, LogisticRegression
from tests.sklearn.test_own_checks import clipped
for model in (LinearRegression(), LogisticRegression()):
    found = check_estimator(model, on_skip=None, expected_failed_checks=clipped(model))
    odd = [each for each in found if each["status"] != "passed"]
    print(len(found) > 40, [each["check_name"] for each in odd] == list(clipped(model)))
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "True True\n" * 2, done.stderr
