"""The epsilon and the number of records that an accuracy needs, beside the releases' own noise."""

import io
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat as dp
from pydpstat import PydpstatError
from pydpstat._null_distributions import weight_moments
from pydpstat.planning._release_errors import ChoiceErrors, TwoPointDistribution

ROOM = {"bounds": (0, 100)}
GROUPS = {"by": "region", "levels": ["north", "south"], "other": None}
TABLE = {"levels": {"region": ["north", "south"], "sex": ["f", "m"]}, "other": None}
TWO = {"columns": ["age", "income"], "bounds": {"age": (0, 100), "income": (0, 5e4)}}
GAUSS = {"mechanism": "gaussian", "delta": 1e-6}
INCOMES = stats.lognorm(0.6, scale=30_000)
# a function, its options, the accuracy in its unit, and whether the number of records matters
PUBLIC = {
    "mean": ("mean", ROOM, 0.5, True),
    "mean, Gaussian": ("mean", {**ROOM, **GAUSS}, 0.5, True),
    "means": ("mean", TWO, {"age": 0.5, "income": 400.0}, True),
    "proportion": ("proportion", {}, 0.02, True),
    "var": ("var", ROOM, 30.0, True),
    "std": ("std", {**ROOM, "distribution": "normal"}, 1.0, True),
    "cov": ("cov", {"bounds": ((0, 100), (0, 50))}, 40.0, True),
    "population": ("mean", {**ROOM, "population": True}, 0.5, True),
    "sum": ("sum", ROOM, 2000.0, False),
    "sums": ("sum", {**TWO, "neighbors": "unbounded"}, {"age": 1e3, "income": 1e6}, False),
    "sums by group": ("sum", {**ROOM, **GROUPS}, 2000.0, False),
    "count": ("count", {}, 12.0, False),
    "count, Gaussian": ("count", GAUSS, 12.0, False),
    "count, unbounded": ("count", {"neighbors": "unbounded"}, 12.0, False),
    "counts by group": ("count", GROUPS, 12.0, False),
    "counts of persons": ("count", {"unit": "id", "max_records": 3}, 12.0, False),
    "histogram": ("histogram", {"edges": [0, 10, 100]}, 12.0, False),
    "crosstab": ("crosstab", {**TABLE, "columns": ["region", "sex"]}, 12.0, False),
    "nunique": ("nunique", {"neighbors": "unbounded"}, 12.0, False),
}


def data_of(name, n, options):
    """Return records of uniform numbers with the columns that a call needs."""
    x = (np.arange(n) + 0.5) / n * 100
    region, sex = np.array(["north", "south"])[np.arange(n) % 2], np.array(["f", "m"])[np.arange(n) // 2 % 2]
    if name == "crosstab":
        return (pd.DataFrame({"region": region, "sex": sex}),)
    values = x > 30 if name in ("count", "proportion") else x
    columns = {"age": values}
    if "columns" in options:
        columns["income"] = values * 500
    elif name == "cov":
        return x, x[::-1] / 2
    elif not {"by", "unit"} & options.keys():
        return (values,)
    if "by" in options:
        columns["region"] = region
    if "unit" in options:
        columns["id"] = np.arange(n)
    return (pd.DataFrame(columns),)


def released(name, epsilon, n, options):
    public = {key: each for key, each in options.items() if key not in ("columns", "distribution")}
    return getattr(dp, name)(*data_of(name, n, options), epsilon=epsilon, **public)


def within(errors, wanted):
    """Return by how much the largest error misses what is wanted, as a ratio."""
    if not isinstance(wanted, dict):
        return float(np.max(errors)) / wanted
    return max(float(errors[column]) / each for column, each in wanted.items())


@pytest.mark.parametrize("case", PUBLIC)
def test_the_epsilon_of_an_accuracy_is_the_smallest_that_the_release_needs(case):
    name, options, wanted, sized = PUBLIC[case]
    n = 900 if sized else None
    planned = dp.plan(name, accuracy=wanted, n=n, **options)
    assert planned.solved == "epsilon" and planned.n == n
    if case == "std":
        # normal records with the standard deviation that was stated
        x = stats.norm(50, 12.5).ppf((np.arange(900) + 0.5) / 900)
        known = dp.std(x, 1e9, **ROOM, rng=1)
        for epsilon, holds in ((planned.epsilon, True), (0.99 * planned.epsilon, False)):
            noise = dp.std(x, epsilon, **ROOM).noise
            assert (known.post.compute_half_width(noise, known.value, 0.05) <= wanted * (1 + 1e-4)) == holds
        return
    release = released(name, planned.epsilon, n or 50, options)
    assert release.noise == planned.noise and release.guarantee.epsilon == planned.guarantee.epsilon
    # an integer's noise has accuracies in steps
    assert within(release.accuracy(), wanted) <= 1.0 + 1e-9
    less = released(name, planned.epsilon * 0.998, n or 50, options)
    assert within(less.accuracy(), wanted) > 1.0
    assert np.all(np.ravel(planned.accuracy()) == np.ravel(release.accuracy()))
    # the interval is as wide, where it does not end at the parameter's range
    low, high = release.post.compute_interval(release.noise, release.value, 0.05)
    assert np.allclose(0.5 * (high - low), np.reshape(np.asarray(release.accuracy()), low.shape, order="F"))


@pytest.mark.parametrize("case", [case for case in PUBLIC if PUBLIC[case][3]])
def test_the_number_of_records_of_an_accuracy_is_the_smallest(case):
    name, options, wanted, _ = PUBLIC[case]
    planned = dp.plan(name, 0.7, accuracy=wanted, alpha=0.1, **options)
    assert planned.solved == "n" and planned.epsilon == 0.7
    fewer = dp.plan(name, 0.7, n=planned.n - 1, **options)
    assert within(planned.accuracy(0.1), wanted) <= 1.0 < within(fewer.accuracy(0.1), wanted)
    if case != "std":
        assert within(released(name, 0.7, planned.n, options).accuracy(0.1), wanted) <= 1.0


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_a_standard_error_of_the_noise(neighbors):
    planned = dp.plan("sum", noise_sd=300.0, neighbors=neighbors, **ROOM)
    assert planned.sd == pytest.approx(300.0, rel=2e-3) and planned.sd <= 300.0
    # the standard deviation of Laplace noise
    assert planned.epsilon == pytest.approx(math.sqrt(2) * 100 / 300, rel=2e-3)
    sized = dp.plan("mean", 0.5, noise_sd=0.3, neighbors=neighbors, distribution="uniform", **ROOM)
    fewer = dp.plan("mean", 0.5, n=sized.n - 1, neighbors=neighbors, distribution="uniform", **ROOM)
    assert sized.sd <= 0.3 < fewer.sd


SHAPES = {
    "mean": ("mean", stats.norm(30, 12), 0.5),
    "mean, uniform": ("mean", "uniform", 0.5),
    "var": ("var", stats.norm(30, 12), 25.0),
    "std": ("std", stats.norm(30, 12), 1.0),
    "proportion": ("proportion", 0.2, 0.02),
    "population": ("mean", stats.norm(30, 12), 0.5),
}


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("case", SHAPES)
def test_a_guess_of_a_private_number_of_records(case, groups):
    name, shape, wanted = SHAPES[case]
    options = {} if name == "proportion" else ROOM
    if case == "population":
        options = {**options, "population": True}
    # by group the number of records is private under both kinds of neighbors
    options = {**options, **(GROUPS if groups else {"neighbors": "unbounded"})}
    planned = dp.plan(name, accuracy=wanted, n=3000, distribution=shape, **options)
    p = (np.arange(3000) + 0.5) / 3000
    law = stats.uniform(0, 100) if shape == "uniform" else shape
    x = p > 1 - law if name == "proportion" else law.ppf(p)
    data = x
    if groups:
        data = pd.DataFrame({"x": np.tile(x, 2), "region": np.repeat(["north", "south"], 3000)})
    release = getattr(dp, name)(data, planned.epsilon, rng=2, **options)
    seeded = dp.plan(name, planned.epsilon, n=3000, distribution=shape, rng=2, **options)
    # the release has its standard errors from noisy numbers
    assert np.ravel(release.accuracy()) == pytest.approx(np.ravel(seeded.accuracy()), rel=0.08)
    assert np.max(planned.accuracy()) == pytest.approx(wanted, rel=1e-3)
    back = dp.plan(name, planned.epsilon, accuracy=wanted, distribution=shape, **options)
    assert back.n == pytest.approx(3000, rel=2e-3)


@pytest.mark.slow
def test_the_noise_of_many_releases_is_what_was_planned():
    x = np.tile(stats.norm(30, 12).ppf((np.arange(400) + 0.5) / 400), 2)
    how = {**ROOM, "neighbors": "unbounded"}
    planned = dp.plan("mean", 0.4, n=800, distribution=stats.norm(30, 12), rng=1, **how)
    errors = [float(dp.mean(x, 0.4, rng=seed, **how)) - x.clip(0, 100).mean() for seed in range(2000)]
    assert np.std(errors) == pytest.approx(planned.sd, rel=0.06)
    assert np.mean(np.abs(errors) > planned.accuracy()) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize("basis", [weight_moments.LINE_BASIS, weight_moments.PARABOLA_BASIS])
def test_the_worst_data_lie_at_a_bound(basis):
    """Of all distributions on a fine grid none has longer slopes than a plan without one takes."""
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(len(basis), 0.3), 4000) * 1000
    at = weight_moments.compute_moments(weights, basis)
    means = weight_moments.compute_row_norms(at.gradients[..., 1, :])
    worst = weight_moments.compute_moments(np.array([[0.0] * (len(basis) - 1) + [1000.0]]), basis)
    assert means.max() <= weight_moments.compute_row_norms(worst.gradients[..., 1, :])[0] * (1 + 1e-9)
    if len(basis) == 3:
        _, slopes = weight_moments.compute_covariance(at, 1, 1, 2)
        # no distribution has a mean of squares below the square of its mean
        able = at.means[:, 2] >= at.means[:, 1] ** 2
        assert able.sum() > 1000
        _, most = weight_moments.compute_covariance(worst, 1, 1, 2)
        largest = weight_moments.compute_row_norms(most)[0]
        assert weight_moments.compute_row_norms(slopes)[able].max() <= largest * (1 + 1e-9)


def test_without_a_distribution_the_worst_is_planned():
    how = {**ROOM, "neighbors": "unbounded"}
    worst = dp.plan("mean", 1.0, n=1000, **how)
    for at in (50, 80, 100):
        assert dp.mean(np.full(1000, at), 1.0, **how).accuracy() <= worst.accuracy() * 1.02
        better = dp.plan("mean", 1.0, n=1000, distribution=stats.norm(at, 5), **how)
        assert better.accuracy() <= worst.accuracy() * (1 + 1e-9)
    assert "worst case" in str(worst.summary())
    assert "the stated distribution (norm(100, 5))" in " ".join(str(better.summary()).split())
    # a point mass at a bound: R / (n epsilon) times the normal quantile and the noise's deviation
    assert worst.sd == pytest.approx(100 * math.sqrt(2) / 1000, rel=1e-3)


QUANTILES = {"bounds": (0, 200_000), "distribution": INCOMES}


@pytest.mark.parametrize("q, neighbors", [(0.5, "bounded"), (0.9, "unbounded"), (0.0, "bounded")])
def test_quantiles_are_as_far_off_as_was_planned(q, neighbors):
    x = INCOMES.ppf((np.arange(1000) + 0.5) / 1000)
    planned = dp.plan("quantile", 0.3, q=q, n=1000, neighbors=neighbors, **QUANTILES)
    low, high = np.quantile(x, q, method="lower"), np.quantile(x, q, method="higher")
    how = {"bounds": (0, 200_000), "neighbors": neighbors}
    drawn = np.array([float(dp.quantile(x, q, 0.3, rng=seed, **how)) for seed in range(1200)])
    errors = np.maximum(np.maximum(low - drawn, drawn - high), 0.0)
    assert np.mean(errors > planned.accuracy()) == pytest.approx(0.05, abs=0.03)
    assert np.mean(errors > planned.accuracy(0.5)) == pytest.approx(0.5, abs=0.08)
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(planned.sd, rel=0.15)


def test_several_quantiles_are_as_far_off_as_epsilon_is_small():
    how = {"qs": [0.2, 0.4, 0.7], "n": 1000, "bounds": (0, 1), "grid_points": 20_001}
    few, many = (dp.plan("quantiles", epsilon, distribution="uniform", **how) for epsilon in (2.0, 8.0))
    # the noise of a choice on a uniform line is Laplace's, whose scale is proportional to 1 / epsilon
    np.testing.assert_allclose(few.accuracy(), 4.0 * many.accuracy(), rtol=0.02)
    assert (many.accuracy() < 0.02).all()


@pytest.mark.slow
def test_several_quantiles_are_as_far_off_as_was_planned():
    x, qs = INCOMES.ppf((np.arange(1000) + 0.5) / 1000), [0.1, 0.5, 0.9]
    planned = dp.plan("quantiles", 1.0, qs=qs, n=1000, **QUANTILES)
    drawn = np.array([dp.quantiles(x, qs, 1.0, bounds=(0, 200_000), rng=seed).value for seed in range(400)])
    errors = np.abs(drawn - np.quantile(x, qs))
    assert np.quantile(errors, 0.95, axis=0) == pytest.approx(planned.accuracy().to_numpy(), rel=0.2)
    assert planned.to_frame().index.tolist() == ["0.1", "0.5", "0.9"]


def test_the_bound_of_an_error_may_be_the_largest_one():
    # ten probabilities of 0.1 add up to less than 1 in floating point
    errors = ChoiceErrors(((np.arange(10.0), np.full(10, 0.1)),), ())
    assert errors.compute_error_bound(1e-17) == 9.0 and errors.compute_error_bound(0.25) == 7.0


def test_a_share_lies_at_its_point_and_may_be_0_or_1():
    law = TwoPointDistribution(0.3)
    assert law.cdf(np.array([-0.1, 0.0, 0.9, 1.0])).tolist() == [0.0, 0.7, 0.7, 1.0]
    assert law.ppf(np.array([0.0, 0.7, 0.71, 1.0])).tolist() == [0.0, 0.0, 1.0, 1.0]
    for share in (0, 1):
        assert dp.plan("proportion", 1.0, n=100, distribution=share, neighbors="unbounded").accuracy() < 0.1
    with pytest.raises(PydpstatError, match="a share from 0 to 1"):
        dp.plan("proportion", 1.0, n=100, distribution=1.01, neighbors="unbounded")


def test_epsilon_and_n_of_a_median():
    found = dp.plan("median", accuracy=800, n=2000, **QUANTILES)
    assert found.accuracy() <= 800 < dp.plan("median", 0.98 * found.epsilon, n=2000, **QUANTILES).accuracy()
    sized = dp.plan("median", 0.2, accuracy=800, **QUANTILES)
    assert sized.accuracy() <= 800 < dp.plan("median", 0.2, n=round(0.98 * sized.n), **QUANTILES).accuracy()
    # twice as accurate where a record is added or removed, half as much by group where one is replaced
    private = dp.plan("median", accuracy=800, n=2000, neighbors="unbounded", **QUANTILES)
    assert private.epsilon == pytest.approx(found.epsilon / 2, rel=0.01)
    grouped = dp.plan("median", accuracy=800, n=2000, **GROUPS, **QUANTILES)
    assert grouped.epsilon == pytest.approx(found.epsilon, rel=0.01) and len(grouped.accuracy()) == 2
    assert grouped.noise is None and "distances" not in str(grouped)
    # with no more points than the accuracy is
    whole = dp.plan("median", 10.0, n=50, bounds=(0, 10), grid_points=11, distribution="uniform")
    assert whole.accuracy() == 0.0
    # more records than points
    assert dp.plan("median", 0.01, n=10**7, **QUANTILES).accuracy() < 10


def test_a_sample_has_so_many_records():
    how = {**ROOM, "neighbors": "unbounded", "distribution": "normal"}
    part, whole = dp.plan("mean", 1.0, n=2000, sample=0.5, **how), dp.plan("mean", 1.0, n=1000, **how)
    assert part.accuracy() == pytest.approx(whole.accuracy())
    assert part.guarantee.epsilon < 1.0


def test_the_neighbors_are_those_of_the_block_around():
    with dp.Budget(5.0, neighbors="unbounded") as budget:
        planned = dp.plan("mean", 1.0, n=500, **ROOM)
        found = dp.plan("count", accuracy=10)
    outside = dp.plan("mean", 1.0, n=500, neighbors="unbounded", **ROOM)
    assert planned.accuracy() == outside.accuracy() and found.guarantee.neighbors == "unbounded"
    assert budget.spent.epsilon == 0.0
    # the block is remembered
    assert planned.to_frame(n=500).equals(planned.to_frame()) and len(planned.to_frame(n=[50, 60])) == 2


def test_a_design_plans_accuracies():
    bounds = {"age": (0, 100), "income": (0, 200_000)}
    people = dp.design(bounds=bounds, levels={"region": ["north", "south"]})
    median = people.plan("median", "income", n=2000, accuracy=800, distribution=INCOMES)
    same = dp.plan("median", accuracy=800, n=2000, neighbors="unbounded", **QUANTILES)
    assert median.epsilon == same.epsilon
    means = people.plan("mean", ["age", "income"], by="region", n=500, accuracy={"age": 1, "income": 2000})
    assert means.to_frame().loc[("north", "age"), "accuracy"] <= 1.0
    assert people.plan("count", by="region", accuracy=10).epsilon < 0.4


def test_frames_and_texts_have_the_numbers(tmp_path):
    planned = dp.plan("count", accuracy=12, **GROUPS)
    frame = planned.to_frame()
    assert frame.columns.tolist() == ["epsilon", "n", "noise sd", "accuracy"]
    assert frame.accuracy.tolist() == [12.0, 12.0] and frame.n.isna().all()
    grid = planned.to_frame(epsilon=[0.1, 1.0])
    each = [dp.plan("count", epsilon, **GROUPS).accuracy()["north"] for epsilon in (0.1, 1.0)]
    assert len(grid) == 4 and grid.loc["north", "accuracy"].tolist() == each
    read = pd.read_csv(io.StringIO(planned.to_csv()))
    assert read["noise sd"].tolist() == frame["noise sd"].tolist() and read.n.isna().all()
    assert planned.to_csv(tmp_path / "plan.csv") is None
    assert (tmp_path / "plan.csv").read_text() == planned.to_csv()
    assert planned.to_markdown().splitlines()[2].startswith("| north | ")
    assert "tabular" in planned.to_latex() and "<table" in planned.to_html()
    assert planned._repr_html_() == planned.to_html()
    assert json.loads(json.dumps(planned.to_dict()))["accuracy"] == [12.0, 12.0]
    for text in (str(planned), repr(planned), str(planned.summary())):
        assert "12" in text and f"{planned.epsilon:g}" in text
    assert "north" in str(planned)
    copy = pickle.loads(pickle.dumps(planned))
    assert copy.to_frame().equals(frame) and copy.epsilon == planned.epsilon
    # one number is one line
    assert "\n" not in str(dp.plan("mean", 1.0, n=100, **ROOM))
    unknown = dp.plan("median", 1.0, n=100, **ROOM)
    assert "state the distribution" in str(unknown) and unknown.to_frame().accuracy.isna().all()
    assert unknown.to_dict()["accuracy"] is None and "-" in str(unknown.summary())


def test_a_plan_of_a_test_has_a_frame():
    planned = dp.plan("binomtest", 1.0, n=100, effect=0.15)
    assert planned.to_frame().power.tolist() == [planned.power]
    grid = planned.to_frame(epsilon=[0.5, 1.0], n=[100, 200])
    assert len(grid) == 4 and grid.power.iloc[2] == planned.power
    assert grid.power.iloc[1] == dp.plan("binomtest", 0.5, n=200, effect=0.15).power
    for way in (planned.to_markdown, planned.to_latex, planned.to_html, planned.to_csv, planned.__str__):
        assert "0.8" in way()
    assert json.loads(json.dumps(planned.to_dict()))["power"] == planned.power


@pytest.mark.parametrize(
    "function, options, text",
    [
        ("mean", {"accuracy": 0.5, **ROOM}, "n must be given"),
        ("mean", {"accuracy": 0.5, "neighbors": "unbounded", **ROOM}, "Give n to find epsilon"),
        ("mean", {"accuracy": 0.5, "n": 10, "epsilon": 1, **ROOM}, "Leave out epsilon or n"),
        ("sum", {"accuracy": 500, "epsilon": 1, **ROOM}, "Leave out epsilon: the noise of a sum does not"),
        ("mean", {"n": 10, **ROOM}, "epsilon must be given, or an accuracy"),
        ("mean", {"n": 10, "accuracy": -1, **ROOM}, "accuracy must be a positive finite number;"),
        ("mean", {"n": 10, "accuracy": 1, "noise_sd": 1, **ROOM}, "must not both be given"),
        ("mean", {"n": 10, "accuracy": {"age": 1}, **ROOM}, "one number for this mean"),
        ("mean", {"n": 10, "accuracy": {"age": 1}, **TWO}, "lacks 'income'"),
        ("mean", {"n": 10, "accuracy": 1e-9, **ROOM}, "with epsilon 100 it is 0.2996.*at least that"),
        ("mean", {"epsilon": 1e-9, "accuracy": 0.1, **ROOM}, r"with 10\^9 records it is 299.6"),
        ("sum", {"accuracy": 1e-3, **ROOM}, "it is .* Give narrower bounds or an accuracy of at"),
        ("count", {"epsilon": 1, "distribution": "normal"}, "distribution must be left out for a count"),
        ("mean", {"epsilon": 1, "n": 9, "distribution": "norml", **ROOM}, "Did you mean 'normal'"),
        ("mean", {"epsilon": 1, "n": 9, "distribution": stats.norm, **ROOM}, "with its parameters"),
        ("mean", {"epsilon": 1, "n": 9, "distribution": [1, 2, 3], **ROOM}, "No data are looked at"),
        ("proportion", {"epsilon": 1, "n": 9, "distribution": "normal"}, "a share from 0 to 1"),
        ("median", {"accuracy": 5, "n": 9, **ROOM}, "depends on the data: state the distribution"),
        ("corr", {"accuracy": 0.1, "n": 99, "bounds": ((0, 1), (0, 1))}, "noisy variances and covariances"),
        ("quantile", {"epsilon": 1, "n": 9, **ROOM}, "q must be given"),
        ("quantiles", {"epsilon": 1, "n": 9, **ROOM}, "qs must be given"),
        ("median", {"epsilon": 1, "n": 9, "population": True, **QUANTILES}, "population must be left out"),
        ("ttest_ind", {"epsilon": 1, "accuracy": 0.1}, "Give power and effect"),
    ],
)
def test_messages_say_what_to_do(function, options, text):
    with pytest.raises(PydpstatError, match=text):
        dp.plan(function, **options).to_frame().accuracy
