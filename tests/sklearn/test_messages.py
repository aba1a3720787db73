"""Messages of the estimators: they name the argument and show no value."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="pip install 'pydpstat[sklearn]'")

from pydpstat import PydpstatError  # noqa: E402
from pydpstat.errors import ArgumentError  # noqa: E402
from pydpstat.sklearn import LinearRegression  # noqa: E402
from tests.sklearn.estimators import FRAME, INCOME, RETIRED, SEX, N, linear, logistic  # noqa: E402


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear(0).fit(FRAME, INCOME), "epsilon must be"),
        (lambda: linear(bounds=(5, 1)).fit(FRAME, INCOME), "bounds must be a pair.*the upper one first"),
        (lambda: linear(bounds={"age": (0, 9)}).fit(FRAME, INCOME), "bounds must name.*lacks 'hours'"),
        (lambda: linear(bounds=[(0, 9)]).fit(FRAME, INCOME), "one for each of the 2 columns; got 1"),
        (lambda: linear(y_bounds=(1, 1)).fit(FRAME, INCOME), "y_bounds must be a pair"),
        (lambda: linear(neighbors="add").fit(FRAME, INCOME), "neighbors must be one of"),
        (lambda: linear(random_state="a").fit(FRAME, INCOME), "random_state must be None"),
        (lambda: linear(budget=3.0).fit(FRAME, INCOME), "budget must be"),
        (lambda: linear(mechanism="gaussian").fit(FRAME, INCOME), "delta must be"),
        (lambda: logistic(classes="yes").fit(FRAME, RETIRED), "classes must be two labels; got str"),
        (
            lambda: logistic(classes=(1, 1)).fit(FRAME, RETIRED),
            "classes must have two classes; got one class",
        ),
        (lambda: logistic(classes=None).fit(FRAME, ["a"] * N), "y must have two classes; got one class"),
        (lambda: linear().fit(FRAME.assign(sex=SEX), INCOME), "X has text in .'sex'.*OneHotEncoder"),
        (lambda: linear().fit(FRAME, RETIRED), "text in X or y"),
        (lambda: linear().fit(FRAME, INCOME).predict([["secret", 1]]), "text in X or y"),
    ],
)
def test_messages_name_the_argument_and_show_no_value(call, message):
    with warnings.catch_warnings():
        # names that were there at the fit
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(PydpstatError, match=message) as caught:
            call()
    assert "secret" not in str(caught.value) and caught.value.__cause__ is None


@pytest.mark.parametrize("word", ["rng", "seed"])
def test_pydpstats_word_for_a_seed_is_answered(word):
    with pytest.raises(ArgumentError, match="write random_state=1"):
        LinearRegression(1.0, **{word: 1})


def test_a_response_is_asked_for():
    with pytest.raises(ArgumentError, match=r"fit needs y; got none. Write .fit\(X, y\)"):
        linear().fit(FRAME)


@pytest.mark.slow
def test_without_scikit_learn_the_command_is_named():
    code = """
import sys
sys.modules["sklearn"] = None
import pydpstat as dp
print(dp.sklearn.__all__)
try:
    dp.sklearn.LinearRegression
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [
        "['LinearRegression', 'LogisticRegression']",
        "pydpstat.sklearn needs scikit-learn 1.6 or later: pip install 'pydpstat[sklearn]', "
        "or '.[sklearn]' in a checkout",
    ]
