"""Lines of Python that run for a comparison: their value, warnings and errors; how values are laid out."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from pydpstat import PrivacyWarning
from pydpstat.parity._compare import collect_results, evaluate_code, evaluate_in_python, run_python
from pydpstat.parity.case import Case, format_matrix_lines, format_table_lines, format_vector_lines
from pydpstat.porting import r

WARNS = "import warnings\nfrom pydpstat import varDP\nwarnings.warn('careful', UserWarning)\n"
TELLS = "varDP([1, 2, 3], 1, 0, 5, rng=1)\n7"


def test_the_value_of_the_last_line():
    names = {}
    assert run_python("a = 2\na * 3", names).value == 6 and names["a"] == 2
    assert run_python("b = a", names).value is None and run_python("", names).value is None


def test_an_error_is_kept():
    done = run_python("1 / 0", {})
    assert isinstance(done.error, ZeroDivisionError) and done.value is None
    assert run_python("if", {}).error is not None


def test_warnings_about_privacy_are_kept_and_told():
    told = []
    done = run_python(WARNS + TELLS, {}, on_warning=told.append)
    assert done.value == 7 and done.error is None and list(done.warnings) == told
    (warning,) = told
    assert isinstance(warning, PrivacyWarning) and "varDP" in str(warning)


def test_other_warnings_are_ignored_or_errors_or_passed_on():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run_python(WARNS + "7", {}).value == 7 and caught == []
        assert isinstance(run_python(WARNS + "7", {}, other_warnings="error").error, UserWarning) and caught == []
        assert run_python(WARNS + TELLS, {}, other_warnings="pass on").value == 7
    assert [str(each.message) for each in caught] == ["careful"]


def test_what_is_shown_runs_among_the_lines():
    seen = []
    assert run_python("3", {}, on_value=seen.append).value == 3 and seen == [3]
    assert isinstance(run_python("0", {}, on_value=lambda value: 1 / value).error, ZeroDivisionError)


def test_only_the_packages_own_errors_are_outcomes():
    outcome, done = evaluate_code("from pydpstat import meanDP\nmeanDP([1.0], -1, 0, 1, rng=1)", {}, 5)
    assert outcome.error == str(done.error) and outcome.values == () and outcome.next_uniform > 0.0
    with pytest.raises(ZeroDivisionError):
        evaluate_code("1 / 0", {}, 5)
    with pytest.raises(ValueError, match="must be an expression"):
        evaluate_code("a = 1", {}, 5)


def test_the_python_text_of_a_case_is_the_translation_unless_it_is_given():
    case = Case("f/a", "f", "base", "mean(x)", inputs={"x": [1.0, 2.0]})
    # it is made when it is first read
    assert vars(case)["python"] == "" and case.python == vars(case)["python"] == "r.mean(x)"
    assert replace(case, python="np.mean(x)").python == "np.mean(x)"
    assert Case("f/a", "f", "base", "mean(1)", lambda text: f"[{text}]").python == "[r.mean(1)]"
    assert evaluate_in_python(case).values == (1.5,)


def test_values_and_names_are_those_that_r_would_state():
    values, labels = [], []
    collect_results(
        [r.table(["b", "a", "b"]), ["x"], None, r.table(["a", None], ["b", "b"], useNA="ifany")],
        values,
        labels,
    )
    np.testing.assert_array_equal(values, [1, 2, np.nan, 1, 1])
    assert labels == ["a", "b", "x", "a", "NA", "b"]


def test_vectors_are_laid_out_as_r_does():
    assert format_vector_lines([]) == []
    assert format_vector_lines(np.arange(1.0, 13.0), width=36) == [
        " [1]  1  2  3  4  5  6  7  8  9 10",
        "[11] 11 12",
    ]
    assert format_vector_lines([0.25], ["a"]) == ['[1]  "a" 0.25']


def test_tables_have_their_columns_below_each_other():
    assert format_table_lines([("a", "bc"), ("def", "")]) == ["a    bc", "-------", "def"]


def test_matrices_have_the_names_of_rows_and_columns():
    values = np.array([[1.0, 0.25], [20.0, 3.0]])
    assert format_matrix_lines(values, (("a", "b"), ("x", "why"))) == ["   x  why", "a  1 0.25", "b 20 3.00"]
    assert format_matrix_lines(values) == ["     [,1] [,2]", "[1,]    1 0.25", "[2,]   20 3.00"]
