"""A statistic of one's own, the geometric mean, takes a query, a function and a case to audit, no more."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat._data.columns import read_numbers
from pydpstat._records.column_release import release_columns
from pydpstat._release.options import options
from pydpstat.auditing._cases import Case
from pydpstat.auditing.audit import audit
from pydpstat.mechanisms import Gaussian, Staircase
from pydpstat.results._postprocessing import DerivedValue, ScaledValue
from pydpstat.results._ranges import make_mean_range
from pydpstat.statistics.mean import make_mean_query

STEPS = ("exponential of the mean logarithm",)


def logs(data, argument):
    """Read logarithms; what is not above 0 is moved to the lower bound with all that is below it."""
    columns = read_numbers(data, argument)
    return replace(columns, arrays=tuple(np.log(np.maximum(x, 1e-300)) for x in columns.arrays))


def log_mean(statistic, records, pairs, how):
    """Ask for the mean of each column's logarithms; published is its exponential within the bounds."""
    ends, within = np.log(pairs), make_mean_range(pairs)
    filled = how.missing if isinstance(how.missing, str) else math.log(how.missing)
    query, of_noisy = make_mean_query(
        "geometric mean", records, tuple(map(tuple, ends.tolist())), how._replace(missing=filled)
    )

    def publish(noisy):
        value, post = of_noisy(noisy)
        value = within.clip_values(np.exp(value))
        slopes = np.array(post.slopes) if isinstance(post, DerivedValue) else np.ones(value.size)
        slopes = tuple((slopes * value.ravel(order="F")).tolist())
        # noise that has a scale for each column is multiplied, and noise of sums has one scale
        return value, (DerivedValue if isinstance(post, DerivedValue) else ScaledValue)(slopes, STEPS, within=within)

    return query, publish


def geometric_mean(
    data,
    epsilon,
    *,
    bounds,
    delta=0,
    mechanism="laplace",
    neighbors="bounded",
    missing="error",
    by=None,
    levels=None,
    unit=None,
    max_records=None,
    rng=None,
    budget=None,
):
    """Release a geometric mean of numbers between public bounds above 0."""
    how = options(epsilon, delta, mechanism, neighbors, missing, rng=rng, budget=budget)
    how = how.add_scope(by, levels, unit=unit, max_records=max_records)
    return release_columns("geometric_mean", log_mean, data, bounds, how, logs)


CASE = Case(
    name="geometric mean",
    kind="sound",
    release=lambda x: geometric_mean(x, 1.0, bounds=(1.0, 100.0)),
    data=np.array([1.0]),
    neighbor=np.array([100.0]),
    true=1.0,
)

BOUNDS = (1.0, 100.0)
X = np.exp(np.linspace(0.5, 4.0, 1000))
TRUE = math.exp(2.25)
FRAME = pd.DataFrame({"a": X, "b": X[::-1] / 2.0})
GAUSSIAN = {"delta": 1e-6}
MECHANISMS = [("laplace", {}), (Staircase(), {}), (Gaussian(), GAUSSIAN)]


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("mechanism, more", MECHANISMS)
def test_every_mechanism(mechanism, more, neighbors):
    r = geometric_mean(X, 5.0, bounds=BOUNDS, mechanism=mechanism, neighbors=neighbors, **more)
    assert abs(float(r) / TRUE - 1.0) < 0.2
    assert r.guarantee.epsilon == 5.0 and r.guarantee.delta == more.get("delta", 0)
    assert (r.nobs is None) is (neighbors == "unbounded")
    assert not any("not covered" in condition for condition in r.guarantee.conditions)
    assert r.postprocessing == STEPS and STEPS[0] in str(r.summary())
    assert r.to_dict()["statistic"] == "geometric mean"
    assert r.bse.iloc[0] < 0.2 and r.conf_int().shape == (1, 2)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_without_noise_to_speak_of_it_is_the_statistic(neighbors):
    r = geometric_mean(X, 1e6, bounds=BOUNDS, neighbors=neighbors, rng=1)
    assert float(r) == pytest.approx(TRUE, rel=1e-6)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_columns(neighbors):
    r = geometric_mean(FRAME, 20.0, bounds={"a": BOUNDS, "b": (0.5, 5000.0)}, neighbors=neighbors, rng=1)
    assert r.estimate.index.tolist() == ["a", "b"]
    assert np.allclose(r.estimate, [TRUE, TRUE / 2.0], rtol=0.1)
    # the noise of a column is in units of its range, that of a geometric mean in units of its value
    if neighbors == "bounded":
        ranges = np.log([BOUNDS[1] / BOUNDS[0], 5000.0 / 0.5])
        np.testing.assert_allclose(r.bse / r.estimate / ranges, (r.bse / r.estimate / ranges).iloc[0])
    assert (r.bse > 0).all() and r.conf_int().notna().all(axis=None)


def test_the_sensitivity_is_that_of_the_logarithms():
    r = geometric_mean(X, 1.0, bounds=BOUNDS)
    assert r.sensitivity == pytest.approx(math.log(100.0) / 1000)
    assert r.noise_scale == pytest.approx(math.log(100.0) / 1000, rel=1e-5)


def test_the_noise_lies_on_the_grid():
    r = geometric_mean(X, 1.0, bounds=BOUNDS)
    units = math.log(float(r)) / r.grid
    assert math.log2(r.grid).is_integer() and r.grid <= 2.0**-20 * r.noise_scale
    # the exponential and the logarithm round
    assert abs(units - round(units)) < 1e-3


def test_missing_values():
    gaps = np.append(X, np.nan)
    with pytest.raises(pydpstat.PydpstatError, match="missing must say how to treat missing"):
        geometric_mean(gaps, 1.0, bounds=BOUNDS)
    filled = geometric_mean(gaps, 1e6, bounds=BOUNDS, missing=10.0)
    assert float(filled) == pytest.approx(math.exp((2250.0 + math.log(10.0)) / 1001), rel=1e-6)
    dropped = geometric_mean(gaps, 1e6, bounds=BOUNDS, missing="drop", neighbors="unbounded")
    assert float(dropped) == pytest.approx(TRUE, rel=1e-6)


def test_a_budget():
    budget = pydpstat.Budget(1.0)
    geometric_mean(X, 0.75, bounds=BOUNDS, budget=budget)
    assert budget.remaining.epsilon == 0.25
    assert budget.entries[0].call == "geometric_mean(data, epsilon=0.75, bounds=[1.0, 100.0])"
    with pytest.raises(pydpstat.BudgetExceeded):
        geometric_mean(X, 0.75, bounds=BOUNDS, budget=budget)


@pytest.mark.slow
def test_an_audit_of_the_case():
    found = audit(CASE.release, CASE.data, CASE.neighbor, samples=4_000, confidence=1.0 - 1e-9, rng=1)
    assert found.claim.epsilon == CASE.true and 0.3 < found.epsilon_lower and found.violates is False


def test_by_group_and_by_unit():
    person, region = np.arange(X.size) // 2, np.repeat(["n", "s"], X.size // 2)
    how = {"bounds": BOUNDS, "by": region, "levels": ["n", "s"], "rng": 1}
    result = geometric_mean(X, 1e6, **how)
    expected = [math.exp(np.log(half).mean()) for half in np.split(X, 2)]
    np.testing.assert_allclose(result.estimate[["n", "s"]], expected, rtol=1e-4)
    assert geometric_mean(X, 1.0, unit=person, max_records=2, **how).sensitivity == 2 * result.sensitivity
