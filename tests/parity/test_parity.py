"""Every comparison with R, recorded and live; a mutated mirror is caught."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import stats

from pydpstat.dppack import counts, moments
from pydpstat.mechanisms import LaplaceNoise
from pydpstat.parity import _report as command
from pydpstat.parity._r_side import get_recording_path
from pydpstat.parity.case import all_cases
from pydpstat.parity.distribution import (
    _compute_affordable_draws,
    _compute_p_values,
    check_distribution,
    load_distributions,
    run_distribution_checks,
)

DISTRIBUTIONS = load_distributions()
GROUPS = defaultdict(list)
for _case in all_cases():
    GROUPS[_case.function].append(_case)


@pytest.mark.slow
@pytest.mark.parametrize("function", GROUPS)
def test_recorded(function):
    """Every case of a function agrees with what R returned when it was recorded; none is left out."""
    assert get_recording_path().exists()
    report = command.run_comparisons(GROUPS[function], live=False, draws=0)
    left_out = [each for each in report.verdicts if each.status != "passed"]
    if find_spec("nlopt") is None and any("pydpstat[models]" in each.message for each in left_out):
        pytest.skip("needs nlopt")
    assert [f"{each.name}: {each.message}" for each in left_out] == []
    assert report.count_verdicts(against="recorded") == len(GROUPS[function])


@pytest.mark.slow
def test_distributions_run_in_processes_of_their_own(monkeypatch):
    """A seeded distribution gives the same verdict there as here."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    names = [distribution.name for distribution in DISTRIBUTIONS[::5]]
    with run_distribution_checks(names, 100, live=False) as found:
        verdicts = list(found)
    assert [each.name for each in verdicts] == names
    first = check_distribution(DISTRIBUTIONS[0], 100, None)
    assert (verdicts[0].smallest, verdicts[0].largest_wrong) == (first.smallest, first.largest_wrong)


def failed(function):
    return [each.name for each in command.run_comparisons(GROUPS[function], live=False, draws=0).failures]


@pytest.mark.parametrize("function", ["meanDP", "varDP", "sdDP", "covDP"])
@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_wrong_sensitivity_of_a_moment_is_caught(monkeypatch, function, factor):
    right = moments.MomentQuery
    monkeypatch.setattr(
        moments,
        "MomentQuery",
        lambda statistic, value, reach, *rest: right(statistic, value, factor * reach, *rest),
    )
    names = failed(function)
    exact = [each.id for each in GROUPS[function] if each.level == "exact"]
    # all but the cases in which the noise is zero or vanishes in the rounding
    assert len(names) >= 0.8 * len(exact) and f"{function}/Laplace aDP bounded" in names


@pytest.mark.parametrize("function", ["histogramDP", "tableDP"])
def test_a_wrong_sensitivity_of_counts_is_caught(monkeypatch, function):
    right = counts.compute_count_sensitivity
    monkeypatch.setattr(counts, "compute_count_sensitivity", lambda neighbors, norm: 1.5 * right(neighbors, norm))
    assert failed(function)


def test_another_number_of_draws_is_caught(monkeypatch):
    from pydpstat.random._seeded import RSource

    right = RSource.laplace

    def laplace(self, size, scale, grid):
        noise = right(self, size, scale, grid)
        self.stream.runif(1)
        return noise

    monkeypatch.setattr(RSource, "laplace", laplace)
    report = command.run_comparisons(GROUPS["meanDP"], live=False, draws=0)
    assert any("the streams diverge" in each.message for each in report.failures)


def test_a_changed_last_bit_is_caught(monkeypatch):
    right = moments.MomentQuery
    monkeypatch.setattr(
        moments, "MomentQuery", lambda statistic, value, *rest: right(statistic, value * (1 + 2**-44), *rest)
    )
    assert failed("meanDP")


# the distribution tests


def scaled(name, factor):
    """A distribution whose samples have the wrong scale."""
    distribution = {each.name: each for each in DISTRIBUTIONS}[name]
    right = distribution.python
    return replace(distribution, name=f"{name}, wrong", python=lambda n, rng: factor * right(n, rng))


FAST = ["LaplaceMechanism", "GaussianMechanism, aDP", "GaussianMechanism, pDP", "GaussianMechanism, analytic"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_the_right_scale_passes(name):
    verdict = check_distribution({each.name: each for each in DISTRIBUTIONS}[name], 20_000, None)
    assert verdict.status == "passed" and verdict.message == "" and verdict.draws == 20_000
    assert verdict.smallest > 1e-6 > verdict.largest_wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("factor", [1.1, 1 / 1.1])
def test_a_scale_wrong_by_ten_percent_is_rejected(name, factor):
    verdict = check_distribution(scaled(name, factor), 20_000, None)
    assert verdict.status == "failed" and "does not fit its distribution" in verdict.message


@pytest.mark.parametrize("name", ["symmetric_geometric", "symmetric_geometric_noise, sign"])
def test_the_wrong_integer_distribution_is_rejected(name):
    distributions = {each.name: each for each in DISTRIBUTIONS}
    distribution = distributions[name]
    assert check_distribution(distribution, 20_000, None).status == "passed"
    for factor in (1.1, 1 / 1.1):
        wrong = replace(distribution, noise=lambda f, factor=factor: distribution.noise(f * factor))
        assert check_distribution(wrong, 20_000, None).status == "failed"


def test_the_right_scale_with_another_shape_is_rejected():
    distribution = {each.name: each for each in DISTRIBUTIONS}["LaplaceMechanism"]
    # uniform noise with Laplace's mean absolute deviation
    flat = replace(distribution, python=lambda n, rng: np.random.default_rng(1).uniform(-4.0, 4.0, n))
    assert check_distribution(flat, 20_000, None).status == "failed"


def test_too_few_draws_are_no_test():
    verdict = check_distribution({each.name: each for each in DISTRIBUTIONS}["LaplaceMechanism"], 500, None)
    assert verdict.status == "failed" and "use more draws" in verdict.message


def test_the_false_alarm_is_printed():
    distribution = {each.name: each for each in DISTRIBUTIONS}["LaplaceMechanism"]
    verdict = check_distribution(distribution, 20_000, None)
    assert verdict.false_alarm == pytest.approx(1e-6 * 2 * len(verdict.samples))
    assert verdict.format_line().startswith("LaplaceMechanism: 20000 draws from ")


# what draws, of the exported names; the bases of these draw by them
RANDOM = {
    "LaplaceMechanism GaussianMechanism ExponentialMechanism meanDP varDP sdDP covDP histogramDP tableDP",
    "pooledVarDP pooledCovDP quantileDP medianDP EmpiricalRiskMinimizationDP.CMS WeightedERMDP.CMS",
    "LogisticRegressionDP svmDP EmpiricalRiskMinimizationDP.KST LinearRegressionDP generate.sampling",
    "tune_classification_model tune_linear_regression_model symmetric_geometric",
    "DPMechLaplace DPMechGaussian DPMechExponential DPMechBernstein sensitivitySampler",
}


def test_every_random_function_has_a_distribution():
    wanted = {name for line in RANDOM for name in line.split()}
    assert {each.name.split(",")[0] for each in DISTRIBUTIONS} >= wanted


def laplace(python, draws=4_000):
    """A distribution with other draws than Laplace noise has."""
    return replace(
        next(each for each in DISTRIBUTIONS if each.name == "LaplaceMechanism"),
        python=python,
        noise=lambda factor: LaplaceNoise(factor),
        draws=draws,
    )


def test_every_sample_must_show_a_wrong_scale():
    # 5 % between both scales fit each of them with 4,000 draws
    def draw(n, rng):
        return np.random.default_rng(1).laplace(0.0, 1.0 if rng is None else 1.05, n)

    verdict = check_distribution(laplace(draw), 4_000, None)
    assert verdict.status == "failed" and verdict.message.startswith("a scale wrong by 10 % is not seen")
    assert check_distribution(laplace(lambda n, rng: draw(n, None)), 4_000, None).status == "passed"


def test_more_draws_are_made_as_long_as_they_are_quick():
    quick = laplace(lambda n, rng: np.zeros(n), draws=500)
    assert _compute_affordable_draws(quick, 30_000, None) == 30_000
    assert _compute_affordable_draws(replace(quick, draws=40_000), 30_000, None) == 40_000


class Four:
    """A half, fifteen of 32, and two rare values."""

    shares = np.array([32.0, 30.0, 1.0, 1.0]) / 64.0

    def cdf(self, x):
        return np.append(0.0, np.cumsum(self.shares))[np.clip(np.floor(x) + 1, 0, 4).astype(int)]

    def ppf(self, q):
        return np.searchsorted(np.cumsum(self.shares), q) * 1.0


@pytest.mark.parametrize("counts", [(96, 91, 3, 2), (80, 74, 20, 18), (79, 70, 5, 6)])
def test_rare_integers_are_counted_together_where_more_than_five_are_expected(counts):
    expected = Four.shares * sum(counts)
    (first, second, *rare), (*common, low, high) = counts, expected
    assert high <= 5.0
    observed = [first, second, sum(rare)] if low + high > 5.0 else [first, second]
    chi = sum((o - e) ** 2 / e for o, e in zip(observed, [*common, low + high]))
    found, _ = _compute_p_values(np.repeat(np.arange(4.0), counts), Four(), True)
    assert found == pytest.approx(stats.chi2.sf(chi, len(observed) - 1), rel=1e-9)
