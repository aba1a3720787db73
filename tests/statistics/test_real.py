"""mean, sum, var, std, cov, corr: estimates, noise, privacy of the number of records, arguments."""

import inspect
import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat import PydpstatError, RRandom
from tests.statistics.calls import CALLS

REAL = ["mean", "sum", "var", "std", "cov", "corr"]
GAUSS = {"mechanism": "gaussian", "delta": 1e-6}
# an epsilon whose noise is below the records' rounding
ALMOST_NONE = 1e15
# a right sample fails once in a million; the generator is seeded, so that it is the same each time
FALSE_ALARM = 1e-6
RNG = np.random.default_rng(20_240_301)
X = RNG.normal(50.0, 20.0, 500)
Y = 0.5 * X + RNG.normal(10.0, 10.0, 500)
CX, CY = np.clip(X, 0, 100), np.clip(Y, 0, 80)
TRUTH = {
    "mean": CX.mean(),
    "sum": CX.sum(),
    "var": CX.var(ddof=1),
    "std": CX.std(ddof=1),
    "cov": np.cov(CX, CY)[0, 1],
    "corr": np.corrcoef(CX, CY)[0, 1],
}


def call(function, epsilon=1.0, x=X, y=Y, **options):
    if function in ("cov", "corr"):
        return getattr(pydpstat, function)(x, y, epsilon, bounds=((0, 100), (0, 80)), **options)
    return getattr(pydpstat, function)(x, epsilon, bounds=(0, 100), **options)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("function", REAL)
def test_without_noise_to_speak_of_it_is_the_statistic(function, neighbors):
    # records are rounded to 2^-40 of half the range
    found = call(function, ALMOST_NONE, neighbors=neighbors, rng=1)
    assert float(found) == pytest.approx(TRUTH[function], rel=1e-10)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("function", ["cov", "corr"])
def test_frames_without_noise_to_speak_of(function, neighbors):
    frame = pd.DataFrame({"x": CX, "y": CY, "z": RNG.uniform(0, 1e-9, 500)})
    bounds = {"x": (0, 100), "z": (0, 1e-9), "y": (0, 80)}
    options = {"bounds": bounds, "neighbors": neighbors, "mechanism": "laplace", "rng": 1}
    found = getattr(pydpstat, function)(frame, epsilon=ALMOST_NONE, **options).estimate
    expected = getattr(frame, function)()
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.abs((found.to_numpy() - expected.to_numpy()) / scale).max() < 1e-9
    assert list(found.index) == list(found.columns) == ["x", "y", "z"]
    assert np.array_equal(found, found.T)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors, mechanism", [("bounded", {}), ("unbounded", {}), ("unbounded", GAUSS)])
@pytest.mark.parametrize("function", REAL)
def test_noise_has_the_stated_sd(function, neighbors, mechanism):
    epsilon, repeats = 20.0, 400
    results = [call(function, epsilon, neighbors=neighbors, **mechanism) for _ in range(repeats)]
    errors = (np.array([float(r) for r in results]) - TRUTH[function]) / float(results[0].bse.iloc[0])
    # the mean square of 400 errors that are a little heavier than normal; 1.25 and 0.8 are out of reach
    # of chance at about 1 in 10^4, and a scale wrong by 25 % on either side would be found
    spread = math.sqrt(np.mean(errors**2))
    assert 0.8 < spread < 1.25
    assert abs(errors.mean()) < 5.0 / math.sqrt(repeats)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism, law", [({"mechanism": "laplace"}, stats.laplace), (GAUSS, stats.norm)])
def test_the_noise_follows_its_law(mechanism, law):
    draws = 20_000
    r = pydpstat.sum(np.zeros((1, draws)), float(draws), bounds=(-1, 1), **mechanism)
    z = r.value / r.noise_scale
    assert stats.kstest(z, law.cdf).pvalue > FALSE_ALARM
    mean, variance = {"laplace": (2.0, 20.0), "norm": (1.0, 2.0)}[law.name]
    # a scale wrong by 5 % on either side is rejected, at the level at which a right one passes
    for scale in (0.95, 1.0, 1.05):
        level = (np.mean((z / scale) ** 2) - mean) / math.sqrt(variance / draws)
        assert (abs(level) < stats.norm.isf(FALSE_ALARM / 2)) == (scale == 1.0)


@pytest.mark.parametrize("function", REAL)
def test_scales(function):
    n, width = 500, {"mean": 100.0 / 500, "sum": 100.0, "var": 1e4 / 500, "std": 1e4 / 500}
    r = call(function)
    expected = {**width, "cov": 1.0 / n, "corr": 2.0}[function]
    assert r.sensitivity == pytest.approx(expected, rel=1e-10)
    # exactly: (sensitivity + grid) / scale <= epsilon
    elements = 9 if function == "corr" else 1
    grown = Fraction(r.sensitivity) + elements * Fraction(r.grid)
    assert grown <= Fraction(r.noise_scale) <= grown * (1 + Fraction(1, 2**51))
    assert call(function, rng=1).noise_scale == r.sensitivity
    wide = 100.0 if function == "sum" else 1.0
    assert call(function, neighbors="unbounded").sensitivity == pytest.approx(wide, rel=1e-10)


def test_the_noise_of_a_standard_deviation_is_that_of_its_square_over_twice_its_value():
    for how in ({"rng": 1}, {"rng": 1, **GAUSS}):
        variance, root = (call(function, neighbors="unbounded", **how) for function in ("var", "std"))
        assert root.value == pytest.approx(math.sqrt(variance.value), rel=1e-12)
        assert root.bse.iloc[0] == pytest.approx(variance.bse.iloc[0] / (2.0 * root.value), rel=1e-12)


def test_a_sum_has_the_largest_bounds_that_are_allowed():
    assert pydpstat.sum([0.0], 1.0, bounds=(0, 1e290), rng=1).sensitivity == pytest.approx(1e290)
    with pytest.raises(PydpstatError, match="at most 1e[+]290 in size"):
        pydpstat.sum([0.0], 1.0, bounds=(-1.1e290, 0), rng=1)


def test_pure_noise_takes_no_delta_but_0():
    for delta in (0, 0.0, np.float64(0.0)):
        r = pydpstat.mean(X, 1.0, bounds=(0, 100), mechanism="laplace", delta=delta, rng=1)
        assert r.guarantee.delta == 0.0
    for delta in (1.0, 1, 1e-6):
        with pytest.raises(PydpstatError, match="delta must be 0 with mechanism 'laplace'"):
            pydpstat.mean(X, 1.0, bounds=(0, 100), mechanism="laplace", delta=delta)


@pytest.mark.parametrize("function", ["mean", "sum"])
def test_several_columns_have_noise_of_the_maximum_norm_by_default(function):
    frame = pd.DataFrame({"a": X, "b": X})
    f, how = getattr(pydpstat, function), {"bounds": (0, 100), "rng": 1}
    both, named = f(frame, 1.0, **how), f(frame, 1.0, **how, mechanism="linf")
    assert both.mechanism == named.mechanism and both.value.tolist() == named.value.tolist()
    one, laplace = f(frame[["a"]], 1.0, **how), f(frame[["a"]], 1.0, **how, mechanism="laplace")
    assert one.mechanism == laplace.mechanism != both.mechanism


@pytest.mark.parametrize("function", ["mean", "sum", "var"])
def test_frames_share_the_budget(function):
    frame = pd.DataFrame({"a": X, "b": X / 1e6})
    bounds = {"a": (0, 100), "b": (0, 1e-4)}
    f = getattr(pydpstat, function)
    laplace = f(frame, 1.0, bounds=bounds, mechanism="laplace", rng=1)
    gauss = f(frame, 1.0, bounds=bounds, rng=1, **GAUSS)
    sensitivities = np.array(laplace.sensitivity)
    assert laplace.noise_scale == pytest.approx(2 * sensitivities, rel=1e-15)
    one = pydpstat.calibrate_gaussian(1.0, 1e-6, math.sqrt(2.0))
    assert gauss.noise_scale == pytest.approx(one * sensitivities, rel=1e-11)
    assert list(laplace.estimate.index) == ["a", "b"] and laplace.nobs == 500
    matrix = f(frame.to_numpy(), 1.0, bounds=list(bounds.values()), mechanism="laplace", rng=1)
    assert np.array_equal(matrix.value, laplace.value) and list(matrix.estimate.index) == ["0", "1"]


@pytest.mark.parametrize("mechanism", [{}, GAUSS], ids=["Laplace", "Gaussian"])
@pytest.mark.parametrize("function", REAL)
def test_the_number_of_records_is_private(function, mechanism):
    def public(size):
        r = call(function, x=X[:size], y=Y[:size], neighbors="unbounded", missing="drop", **mechanism)
        shown = r.to_dict()
        for name in ("estimate", "noise_sd", "noisy_nobs"):
            shown.pop(name, None)
        # that a correlation is missing follows from the noisy sums alone
        shown["postprocessing"] = shown["postprocessing"][:2]
        return r, json.dumps(shown), r.labels, r.noise, r.noise_scale, r.sensitivity, r.grid

    small, large = public(3), public(437)
    assert small[1:] == large[1:] and small[0].nobs is None
    for r, *_ in (small, large):
        r.summary()
        texts = [r.call, r.summary().as_text().split("====")[2], str(r.guarantee)]
        assert not any("437" in text for text in texts)
    # no record at all is no error, and the pickles differ in the released numbers only
    call(function, x=X[:0], y=Y[:0], neighbors="unbounded", **mechanism)
    if small[0].postprocessing == large[0].postprocessing:
        assert len(pickle.dumps(small[0])) == len(pickle.dumps(large[0]))
    else:
        assert function == "corr"


def test_unbounded_answers_without_records():
    expected = {"mean": 50.0, "sum": 0.0, "var": 0.0, "std": 0.0, "cov": 0.0, "corr": math.nan}
    for function, answer in expected.items():
        r = call(function, ALMOST_NONE, x=X[:0], y=Y[:0], neighbors="unbounded", rng=1)
        assert float(r) == pytest.approx(answer, abs=1e-9, nan_ok=True)
        assert function == "sum" or math.isnan(r.bse.iloc[0])


@pytest.mark.slow
@pytest.mark.parametrize("function", REAL)
def test_post_processing_keeps_to_the_range(function):
    low = {"var": 0.0, "std": 0.0, "corr": -1.0}.get(function, 0.0 if function == "mean" else -math.inf)
    high = {"corr": 1.0, "mean": 100.0}.get(function, math.inf)
    for seed in range(40):
        for neighbors in ("bounded", "unbounded"):
            if function == "mean" and neighbors == "bounded":
                continue
            r = call(function, 0.005, rng=seed, neighbors=neighbors)
            assert low <= float(r) <= high or function == "corr" and math.isnan(r)
            r.bse, r.to_frame()


def test_the_stream_moves_by_one_draw_a_number():
    for function, draws in (("mean", 1), ("var", 1), ("std", 1), ("cov", 1), ("corr", 9)):
        stream, other = RRandom(123), RRandom(123)
        call(function, rng=stream)
        other.rlaplace(draws)
        assert stream.runif(1) == other.runif(1)


@pytest.mark.parametrize("function", REAL)
def test_missing_values(function):
    x = X.copy()
    x[7] = np.nan
    with pytest.raises(PydpstatError, match="missing"):
        call(function, x=x)
    filled = x.copy()
    filled[7] = 25.0
    assert float(call(function, x=x, missing=25, rng=3)) == float(call(function, x=filled, rng=3))
    dropped = call(function, x=x, missing="drop", neighbors="unbounded", rng=3)
    keep = ~np.isnan(x)
    assert float(dropped) == float(call(function, x=x[keep], y=Y[keep], neighbors="unbounded", rng=3))
    with pytest.raises(PydpstatError, match="unbounded"):
        call(function, x=x, missing="drop")
    assert call(function).guarantee.conditions and not call(function, missing=0).guarantee.conditions


JUNK = [None, "abc", 3, {}, {1}, [1, "x"], [[1], [1, 2]], [1j], np.zeros((2, 2, 2)), [()], pd.DataFrame()]


@pytest.mark.parametrize("junk", [*JUNK, pd.Categorical(["a"])], ids=lambda junk: type(junk).__name__)
def test_junk_data(junk):
    for function in ("mean", "cov"):
        with pytest.raises(PydpstatError):
            call(function, x=junk)


WRONG = {
    "bounds": [None, (1, 0), (0, math.inf), ((0, 1), (0, 1), (0, 1)), {"x": (0, 1)}],
    "mechanism": ["guassian", 0],
    "delta": [0.1, (1, "gaussian"), (0, "gaussian")],
    "neighbors": ["unbouned"],
    "missing": ["dorp", math.nan],
    "rng": ["x"],
    "budget": [3],
    "epsilon": [0, True, 1e-320],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in WRONG.items() for value in values])
def test_junk_options(name, value):
    options = {"epsilon": 1.0, "bounds": (0, 100), name: value}
    if name == "delta" and isinstance(value, tuple):
        options["delta"], options["mechanism"] = value
    for function, data in (("mean", (X,)), ("corr", (X, Y))):
        with pytest.raises(PydpstatError, match=name):
            getattr(pydpstat, function)(*data, **options)


def test_messages_hold_no_data():
    secret = np.array([4.2424242, 7.0707])
    for arguments in ((secret, secret), (1.0, secret)):
        with pytest.raises(PydpstatError) as error:
            pydpstat.mean(*arguments, bounds=(0, 1))
        assert "4.24" not in str(error.value)
    with pytest.raises(PydpstatError) as error:
        pydpstat.cov(secret, secret, bounds=(0, 1))
    assert "4.24" not in str(error.value)


@pytest.mark.parametrize("bounds", [(-1e300, 1e300), (1e9, 1e9 + 1), (0.0, 1e-200), (0, 1)])
def test_extreme_bounds(bounds):
    x = [bounds[0], bounds[1], (0.5 * bounds[0] + 0.5 * bounds[1])] * 100
    for neighbors in ("bounded", "unbounded"):
        r = pydpstat.mean(x, 10.0, bounds=bounds, neighbors=neighbors)
        assert abs(float(r) - x[2]) <= 0.1 * (bounds[1] - bounds[0]) and math.isfinite(r.bse.iloc[0])


@pytest.mark.parametrize("function", REAL)
def test_the_budget_is_charged_once(function):
    budget = pydpstat.Budget(3.0)
    r = call(function, budget=budget)
    with pytest.raises(PydpstatError):
        call(function, budget=budget, missing="drop")
    assert [each.call for each in budget.entries] == [r.call] and budget.spent.epsilon == r.guarantee.epsilon


@pytest.mark.parametrize("function", REAL)
def test_the_guarantee_has_its_loss(function):
    pure, gauss = call(function).guarantee, call(function, **GAUSS).guarantee
    assert pure.delta_at(1.0) == 0.0 and 0.0 < pure.delta_at(0.5) < 0.23
    assert 0.999e-6 < gauss.delta_at(1.0) <= 1e-6


def test_signatures_are_alike():
    for function in REAL:
        keywords = [p.name for p in inspect.signature(getattr(pydpstat, function)).parameters.values()]
        keywords = [name for name in keywords if name != "population"]
        scope = ["by", "levels", "other", "unit", "max_records", "max_groups", "sample"]
        options = ["bounds", "delta", "mechanism", "neighbors", "missing", *scope, "rng", "budget"]
        assert keywords[-len(options) :] == options


@pytest.mark.parametrize("function", CALLS)
def test_what_takes_a_missing_values_place_lies_within_the_bounds(function):
    for x in (np.linspace(0, 10, 20), np.array([1.0, np.nan, 3.0])):
        for fine in (0, 5, 10):
            CALLS[function](x, missing=fine)
        for wrong in (500, -1e-9, 15, math.inf, -math.inf):
            with pytest.raises(pydpstat.PydpstatError, match="missing must be a number within the"):
                CALLS[function](x, missing=wrong)


@pytest.mark.parametrize(
    "data",
    [
        [1.0, None, 3.0],
        pd.Series([1.0, pd.NA, 3.0], dtype="Float64"),
        [Decimal("1"), Decimal("NaN"), Decimal(3)],
        [1.0, np.ma.array(99.0, mask=True), 3.0],
        [1.0, np.ma.masked, 3.0],
        np.ma.array([1.0, 99.0, 3.0], mask=[0, 1, 0]),
    ],
    ids=["None", "NA", "Decimal", "a masked array in a list", "masked in a list", "a masked array"],
)
def test_what_is_missing_in_every_container(data):
    with pytest.raises(PydpstatError, match="missing"):
        pydpstat.mean(data, 1e6, bounds=(0, 100))
    release = pydpstat.mean(data, 1e6, bounds=(0, 100), missing=2.0, rng=1)
    assert float(release) == pytest.approx(2.0, abs=1e-2)


def test_what_a_mask_hides_in_rows_is_missing():
    rows = [np.ma.array([99.0, 10.0], mask=[1, 0]), np.array([10.0, 20.0]), [np.ma.masked, 3.0]]
    release = pydpstat.mean(rows, 1e6, bounds=(0, 100), missing=2.0, rng=1)
    assert release.value == pytest.approx([14.0 / 3.0, 11.0], abs=1e-2)
