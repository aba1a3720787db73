"""Each line warns once for each finding, unless the filter says otherwise."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PrivacyWarning
from tests.warning_calls import ANALYTIC, GAUSS, X, cov, hist, mean, sd, table, var

NA, NO_NA = (pd.Categorical(["a", "b", last], ["a", "b", "c"]) for last in (None, "b"))


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"useNA": "no"},
        {"useNA": "always"},
        {"useNA": "ifany"},
        {"exclude": None},
        {"exclude": "c"},
        {"exclude": ["zzz"]},
        {"exclude": ["c", None]},
        {"exclude": None, "useNA": "no"},
        {"exclude": "c", "useNA": "always"},
    ],
    ids=str,
)
def test_levels_that_depend_on_a_missing_value_are_not_called_public(rules):
    """Where one record decides whether there is a level NA, nothing is guaranteed, and a warning says so."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        results = [pydpstat.tableDP(cells, **rules, rng=1) for cells in (NA, NO_NA)]
    depends = results[0].labels != results[1].labels
    for result in results:
        assert math.isinf(result.guarantee.epsilon) == depends
    assert bool(seen) == depends


def shown_by(lines, action="default"):
    """How many privacy warnings the lines give, run as a module's own lines."""
    scope = {"pydpstat": pydpstat, "X": X, "__name__": "a_script"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter(action, PrivacyWarning)
        exec(compile(lines, "a_script.py", "exec"), scope)
    return [each for each in caught if issubclass(each.category, PrivacyWarning)]


LOOP = "for eps in (0.5, 1.0, 2.0):\n    pydpstat.varDP(X, eps, 0, 5)\n"


def test_one_line_warns_once_also_with_other_figures():
    (warning,) = shown_by(LOOP)
    assert warning.lineno == 2 and warning.filename == "a_script.py"
    assert "epsilon is 0.8318" in str(warning.message)


def test_another_line_and_another_row_warn_again():
    assert len(shown_by(LOOP + LOOP)) == 2
    both = "for eps in (0.5, 1.0):\n    pydpstat.varDP(X, eps, 0, 5, 'unbounded')\n"
    assert sorted(each.message.row for each in shown_by(both)) == ["2", "5"]


def test_the_filter_decides():
    assert len(shown_by(LOOP, "always")) == 3
    assert shown_by(LOOP, "ignore") == []
    with pytest.raises(PrivacyWarning) as raised:
        shown_by(LOOP, "error")
    assert raised.value.row == "2" and raised.value.use == "var"


def test_a_changed_filter_lets_a_line_warn_again():
    scope = {"pydpstat": pydpstat, "X": X, "__name__": "a_script"}
    code = compile("pydpstat.varDP(X, 1.0, 0, 5)", "a_script.py", "exec")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", PrivacyWarning)
        exec(code, scope)
        exec(code, scope)
        assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        with pytest.raises(PrivacyWarning):
            exec(code, scope)


@pytest.mark.parametrize(
    "call, row, use",
    [
        (lambda: var(), "2", "var"),
        (lambda: sd(), "2", "std"),
        (lambda: mean(which_sensitivity="unbounded"), "5", "mean"),
        (lambda: cov(which_sensitivity="unbounded"), "5", "cov"),
        (lambda: hist(breaks="Sturges"), "4", "histogram"),
        (lambda: table(["a", "b"]), "8", "crosstab"),
        (lambda: pydpstat.symmetric_geometric_noise(3, 1.0, method="sign"), "1", "symmetric_geometric"),
        (lambda: pydpstat.GaussianMechanism(1, 0.1, 1e-15, 1, analytic=True), "11", "calibrate_gaussian"),
        (lambda: mean(mechanism="Gaussian", delta=1.1), "delta", "meanDP"),
    ],
)
def test_a_warning_has_its_row_and_a_function_that_exists(call, row, use):
    with pytest.warns(PrivacyWarning) as caught:
        call()
    (warning,) = [each.message for each in caught if isinstance(each.message, PrivacyWarning)]
    assert (warning.row, warning.use) == (row, use) and hasattr(pydpstat, use)


@pytest.mark.parametrize(
    "epsilon, delta, figure",
    [(1, 1e-6, "1.41e-06"), (0.5, 1e-3, "0.00108"), (1, 0.01, "0.0102"), (1, 1e-9, "2.5e-09")],
)
def test_the_figure_of_an_unbounded_mean_with_gaussian_noise(epsilon, delta, figure):
    with pytest.warns(PrivacyWarning, match=f"delta is {figure} for a removed record") as caught:
        how = {"which_sensitivity": "unbounded", "mechanism": "analytic", "delta": delta, "rng": 1}
        pydpstat.meanDP(np.zeros(1000), epsilon, 0, 1, **how)
    assert [each.message.row for each in caught if isinstance(each.message, PrivacyWarning)][-1] == "5"


def test_no_figure_where_none_is_derived():
    with pytest.warns(PrivacyWarning, match="delta may exceed the claimed one"):
        var(which_sensitivity="unbounded", **ANALYTIC)
    with pytest.warns(PrivacyWarning, match="delta may exceed the claimed one"):
        pydpstat.meanDP([0.5], 0.5, 0, 1, which_sensitivity="unbounded", **GAUSS)
