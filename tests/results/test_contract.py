"""What every kind of result has in the same way: estimates, intervals by kind, and answers to mistakes."""

import inspect
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import ArgumentError, FrozenError, PydpstatError
from tests.results.test_exports import BY, FRAME, ONE, PAIR, RESULTS, X

# kinds of results by the kinds of intervals that each has
NOISE = ("model",)
BOTH = ("number", "columns", "groups", "table")
CONFIDENCE = ("test", "test without estimates", "test of groups", "moments", "moments by group", "pairs")
CONFIDENCE += ("regression", "hypotheses", "joint test", "predictions")
UNDECIDED = {
    "test": "result.pvalue < 0.05",
    "pairs": "(result.pvalues < 0.05).any()",
    "regression": "result.pvalues['x'] < 0.05",
    "hypotheses": "(result.pvalue < 0.05).all()",
    "joint test": "result.pvalue < 0.05",
    "audit": "result.violates",
}
WORKSHOP = "of of_several record post interval tested coef errors statistics probabilities intervals fit"
WORKSHOP += " design combinations link"


@pytest.fixture(scope="module")
def results():
    made = {name: make() for name, make in RESULTS.items()}
    made["groups"] = dp.mean(FRAME[["x", "g"]], 1.0, **BY, **ONE, population=True)
    made["number"] = dp.mean(X, 1.0, **ONE, population=True)
    made["columns"] = dp.mean(FRAME[["x", "y"]], 1.0, bounds=PAIR, population=True, rng=1)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NOISE, *BOTH, *CONFIDENCE])
def test_estimate_and_intervals(results, name):
    result = results[name]
    signature = list(inspect.signature(result.conf_int).parameters.values())[:2]
    assert [(each.name, each.default) for each in signature] == [("alpha", 0.05), ("kind", None)]
    assert not np.isnan(np.asarray(result.estimate, dtype=float)).any()
    if getattr(result, "interval", "") is None:
        return
    usual = np.asarray(result.conf_int(0.1), dtype=float)
    there = dict(noise=name not in CONFIDENCE, population=name not in NOISE, confidence=name not in NOISE)
    for kind, known in there.items():
        if known:
            same = np.array_equal(np.asarray(result.conf_int(0.1, kind), dtype=float), usual)
            assert same == (name not in BOTH or kind == "noise")
        else:
            with pytest.raises(PydpstatError, match=f"has no interval of kind '{kind}'.*Leave kind out"):
                result.conf_int(0.1, kind=kind)
    with pytest.raises(PydpstatError, match="kind must be one of"):
        result.conf_int(kind="both")


@pytest.mark.slow
def test_estimates_of_tests_and_models(results):
    assert results["test"].estimate.equals(results["test"].params)
    assert results["test without estimates"].estimate == results["test without estimates"].statistic
    assert results["moments by group"].estimate.columns.tolist() == ["mean", "std"]
    assert results["hypotheses"].estimate.tolist() == results["hypotheses"].effect.tolist()
    assert results["predictions"].estimate.tolist() == results["predictions"].predicted_mean.tolist()
    for name in ("regression", "moments", "model", "joint test"):
        assert results[name].estimate.equals(results[name].params)


@pytest.mark.slow
def test_moments_have_the_intervals_of_all_columns(results):
    r = results["moments"]
    frame = r.conf_int(0.1)
    assert frame.loc["y"].tolist() == list(r.conf_int(0.1, column="y")) and frame.index.tolist() == ["x", "y"]
    assert isinstance(dp.moments(X, 1.0, **ONE).conf_int(), tuple)


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_released_stays(results, name):
    result = results[name]
    for attribute in ("estimate", "pvalue", "anything"):
        with pytest.raises(FrozenError, match=f"^{attribute} of .*Results are immutable"):
            setattr(result, attribute, 3)


@pytest.mark.parametrize("name", [name for name in RESULTS if name not in (*BOTH, "chosen")])
def test_a_format_says_what_to_write(results, name):
    assert f"{results[name]}" == str(results[name])
    with pytest.raises(ArgumentError, match="no number that a format could show; got '.2f'. Write "):
        f"{results[name]:.2f}"


@pytest.mark.parametrize("name", UNDECIDED)
def test_no_condition(results, name):
    with pytest.raises(TypeError) as caught:
        bool(results[name])
    assert f"is neither true nor false. Write {UNDECIDED[name]}" in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_print_shows_numbers_and_completion_no_workshop(results, name):
    result = results[name]
    assert name in ("number", "chosen") or result.summary().tables[0].as_text() in str(result)
    offered = {*dir(result)} & {*WORKSHOP.split()}
    assert not offered and "summary" in dir(result)


def test_the_joint_test_has_a_row_and_intervals_that_hold_together(results):
    joint, parts = results["joint test"], results["joint test"].parts
    frame = joint.to_frame(0.1)
    assert frame.loc["joint test", ["statistic", "p-value"]].tolist() == [joint.statistic, joint.pvalue]
    assert frame.iloc[:-1][["lower", "upper"]].to_numpy().tolist() == parts.conf_int(0.05).tolist()
    assert np.array_equal(joint.conf_int(0.1), parts.conf_int(0.05))
    assert joint.call.endswith(".f_test('x = 0, Intercept = 0')")
    floored = replace(joint, parts=replace(parts, pvalue_floor=0.01))
    assert [row[3] for row in floored._make_rows().cells][1:] == ["< 0.011", "< 0.021"]


@pytest.mark.slow
def test_what_follows_from_a_regression_keeps_its_guarantee(results):
    fit = results["regression"]
    for name in ("hypotheses", "joint test", "predictions"):
        result = results[name]
        assert result.guarantee == fit.guarantee and result.to_dict()["epsilon"] == 1.0
        assert "regression of y on x" in result.statement().text
        assert "sampling error" not in result.statement().text
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(result)).to_frame(), result.to_frame())
    assert fit.t_test(np.eye(2)).call.endswith(".t_test(r_matrix)")
    assert repr(fit.t_test("x = 0")).startswith("<Contrasts of 1 hypothesis, ")


def test_summaries_have_no_scale_in_a_unit_of_the_inside(results):
    assert "Noise scale" not in results["moments"].summary().as_text()
    means = dp.plan("mean", 1.0, n=100, bounds=(0, 1), by="g", levels=["a", "b"]).summary().as_text()
    assert "Noise scale" not in means and "Sensitivity" not in means
    alone = dp.plan("mean", 1.0, n=100, bounds=(0, 1)).summary().as_text()
    assert "Noise scale:" in alone and "Grid" not in alone


def test_an_import_of_another_packages_name_says_what_it_is_here():
    with pytest.raises(ImportError, match=r"cannot import name 'sd' from 'pydpstat'. Use 'std'\."):
        from pydpstat import sd  # noqa: F401
    with pytest.raises(ImportError, match="cannot import name 'zzz'"):
        from pydpstat import zzz  # noqa: F401
    from pydpstat import parity  # noqa: F401
