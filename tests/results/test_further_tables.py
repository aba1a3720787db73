"""What follows from a released table: margins, shares, differences, frames; and what does not."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat import PydpstatError
from pydpstat.mechanisms import Laplace, SymmetricGeometricNoise
from pydpstat.mechanisms._noise import NoiseSum
from pydpstat.results._postprocessing import RatioIntervals

BOTH = ["bounded", "unbounded"]
# next to no noise
LARGE = 60.0
LEVELS = {"region": ["n", "s", "w"], "job": ["no", "yes"], "sex": ["f", "m"]}
FALSE_ALARMS = 1e-6


def people(n=600, seed=1):
    rng = np.random.default_rng(seed)
    drawn = {name: rng.choice(levels, n) for name, levels in LEVELS.items()}
    return pd.DataFrame(drawn)


FRAME = people()


def table(names=("region", "job"), epsilon=LARGE, **how):
    names = list(names)
    given = {"levels": {name: LEVELS[name] for name in names}, "other": None, "rng": 1, **how}
    return pydpstat.crosstab(FRAME[names], epsilon, **given)


# margins ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("neighbors", BOTH)
def test_margins_are_sums_of_the_cells(neighbors):
    cross = table(epsilon=0.5, neighbors=neighbors)
    region = cross.margins("region")
    assert region.estimate.equals(cross.estimate.sum(axis=1).rename("table"))
    assert cross.margins(["job"]).estimate.to_list() == cross.estimate.sum().to_list()
    assert float(cross.margins([])) == cross.value.sum()
    assert region.noise == NoiseSum(cross.noise, 2)
    assert region.bse.to_list() == pytest.approx([np.sqrt(2.0) * cross.noise.std()] * 3)


def test_margins_of_three_variables_have_the_order_that_is_asked_for():
    cube = table(LEVELS)
    two = cube.margins(["sex", "region"])
    assert two.estimate.equals(pd.crosstab(FRAME["sex"], FRAME["region"]).astype(float))
    again = two.margins("region")
    assert again.estimate.equals(cube.margins("region").estimate) and again.noise == NoiseSum(cube.noise, 4)
    assert again.call.endswith(".margins(['sex', 'region']).margins('region')")


def test_variables_without_names_are_given_by_their_places():
    pair = FRAME["region"].to_list(), FRAME["job"].to_list()
    cross = pydpstat.crosstab(pair, LARGE, levels=[LEVELS["region"], LEVELS["job"]], other=None, rng=1)
    assert cross.margins(1).estimate.to_list() == FRAME["job"].value_counts().sort_index().to_list()
    assert cross.shares(by=0).estimate.shape == (3, 2) and cross.long().columns[1] == "variable 1"


def test_margins_keep_the_guarantee_and_say_that_they_are_free():
    cross = table()
    for result in (cross.margins("job"), cross.shares(), cross.shares(by="region")):
        assert (result.guarantee, result.claim) == (cross.guarantee, cross.claim)
        text = " ".join(result.summary().as_text().split())
        assert "which follows from the released table at no additional privacy cost" in text
        assert result.call.startswith(cross.call + ".") and result.r_call is None
        assert pickle.loads(pickle.dumps(result)).estimate.equals(result.estimate)
        assert list(result.to_frame().columns)[:4] == ["estimate", "noise sd", "noise lower", "noise upper"]
        assert result.to_dict()["epsilon"] == LARGE
    text = " ".join(cross.chi2().summary().as_text().split())
    assert "It follows from the release at no additional privacy cost." in text and ".chi2()" in text


def test_margins_of_a_sample_are_in_records_of_all():
    cross = table(sample=0.5)
    region, factor = cross.margins("region"), 2.0
    assert region.estimate.to_list() == cross.estimate.sum(axis=1).to_list()
    assert region.bse.to_list() == pytest.approx([factor * np.sqrt(2.0) * cross.noise.std()] * 3)
    assert cross.shares().estimate.to_numpy().sum() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("how", [{}, {"mechanism": "gaussian", "delta": 1e-6}])
def test_noise_intervals_of_margins_cover(how):
    counts, runs = FRAME["region"].value_counts().sort_index().to_numpy(), 100
    margins = [table(LEVELS, 1.0, **{**how, "rng": seed}).margins("region") for seed in range(runs)]
    errors = np.abs([each.value - counts for each in margins])
    assert np.sum(errors <= margins[0].accuracy(0.1).to_numpy()) >= stats.binom.ppf(FALSE_ALARMS, 3 * runs, 0.9)
    # the quantile of one cell's noise misses more often
    assert np.sum(errors <= margins[0].noise.each.ppf(0.95)) < stats.binom.ppf(FALSE_ALARMS, 3 * runs, 0.9)


# shares -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("neighbors", BOTH)
def test_shares_are_those_of_the_records_with_next_to_no_noise(neighbors):
    cross = table(neighbors=neighbors)
    counts = pd.crosstab(FRAME["region"], FRAME["job"])
    assert np.allclose(cross.shares().estimate, counts / 600)
    rows = cross.shares(by="region")
    assert np.allclose(rows.estimate, counts.div(counts.sum(axis=1), axis=0))
    assert rows.estimate.index.name == "region" and list(rows.estimate) == ["no", "yes"]
    assert np.allclose(cross.shares(by="job").estimate, counts.div(counts.sum()).T)
    ends = rows.conf_int().to_numpy()
    assert (ends[:, 0] <= rows.params).all() and (rows.params <= ends[:, 1]).all()
    wide = rows.conf_int(kind="population").to_numpy()
    assert (wide[:, 0] < ends[:, 0]).all() and (ends[:, 1] < wide[:, 1]).all()


def test_shares_within_several_variables():
    cube = table(LEVELS)
    counts = FRAME.groupby(["region", "sex", "job"]).size().unstack()
    found = cube.shares(by=["region", "sex"])
    assert np.allclose(found.estimate, counts.div(counts.sum(axis=1), axis=0))
    assert found.estimate.index.names == ["region", "sex"]
    assert list(cube.shares(by="sex").estimate) == [f"{r}:{j}" for r in "nsw" for j in ("no", "yes")]


@pytest.mark.parametrize("rate", [0.02, 0.5, 3.0])
@pytest.mark.parametrize("counts", [(3, 9), (0, 40), (90, 210)])
def test_noise_intervals_of_shares_cover_in_small_groups_too(rate, counts):
    runs, noise = 4000, SymmetricGeometricNoise(rate)
    first, second = (counts + noise.rvs((runs, 2), 1)).T
    second = second + noise.rvs(runs, 2)
    low, high = RatioIntervals(noise, first * 1.0, second * 1.0, np.array([1, 2])).compute_noise_interval(0.1)
    truth = counts[0] / sum(counts)
    assert ((low <= truth) & (truth <= high)).sum() >= stats.binom.ppf(FALSE_ALARMS, runs, 0.9)
    assert low.min() >= 0.0 and high.max() <= 1.0


def test_a_group_that_may_be_empty_says_nothing():
    cross = table(("region", "job"), epsilon=1.0, levels={"region": ["n", "x"], "job": ["no", "yes"]})
    found = cross.shares(by="region")
    ends = found.conf_int().loc["x"].to_numpy()
    assert (ends == [0.0, 1.0]).all() and found.bse.loc["x"].isna().all()


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", BOTH)
def test_population_intervals_of_margins_and_shares_cover(neighbors):
    p = np.array([[0.35, 0.05], [0.3, 0.3]])
    levels, rng, runs = {"a": ["0", "1"], "b": ["0", "1"]}, np.random.default_rng(3), 12
    hits = []
    for seed in range(runs):
        cells = rng.choice(4, 200, p=p.ravel())
        data = {"a": (cells // 2).astype(str), "b": (cells % 2).astype(str)}
        how = {"levels": levels, "other": None, "neighbors": neighbors, "rng": seed}
        cross = pydpstat.crosstab(data, 1.0, **how)
        for found, truth in (
            (cross.margins("a"), p.sum(axis=1)),
            (cross.shares(by="a"), (p / p.sum(axis=1, keepdims=True)).ravel(order="F")),
        ):
            ends = found.conf_int(0.1, kind="population").to_numpy()
            hits.append(ends[0, 0] <= truth[0] <= ends[0, 1])
    assert np.sum(hits) >= stats.binom.ppf(FALSE_ALARMS, len(hits), 0.9)
    # not wide without need: about a sampling error of a share of 200 records, and some noise
    assert (ends[:, 1] - ends[:, 0]).max() < 0.2


def test_a_table_compares_its_rows():
    columns = ["a"] * 300 + ["b"] * 300, ["u", "u", "v"] * 100 + ["u", "v", "v"] * 100
    frame = pd.DataFrame(dict(zip("gx", columns)))
    cross = pydpstat.crosstab(frame, 2.0, levels={"g": ["a", "b"], "x": ["u", "v"]}, rng=1)
    found = cross.difference("a", "b", "u")
    low, high = found.conf_int(0.05)
    assert low < 1.0 / 3.0 < high and found.pvalue < 1e-4 and high - low < 0.25
    assert found.pvalue == cross.shares(by="g").difference("a", "b", "u").pvalue
    assert found.guarantee == cross.guarantee and "no additional privacy cost" in found.remarks[-1]
    # the same as a proportion by group with as much noise
    share = pydpstat.proportion(frame["x"] == "u", 2.0, by=frame["g"], levels=["a", "b"], rng=1)
    other = share.difference("a", "b").conf_int(0.05)
    assert (low, high) == pytest.approx(other, abs=0.03)
    with pytest.raises(PydpstatError, match=r"variable must be given .*\('u', 'v', 'other'\)"):
        cross.difference("a", "b")


# frames -----------------------------------------------------------------------------------------------


def test_wide_and_long_frames():
    cross = table(epsilon=1.0)
    wide = cross.wide(margins=True)
    assert wide.iloc[:3, :2].equals(cross.estimate.astype(int))
    assert wide.loc["All", "All"] == cross.value.sum()
    assert {kind.kind for kind in wide.dtypes} == {"i"}
    assert wide["All"].iloc[:3].to_list() == cross.margins("region").estimate.to_list()
    assert cross.wide().equals(cross.estimate.astype(int))
    long = cross.long()
    numbers = ["estimate", "noise sd", "noise lower", "noise upper", "share", "share lower", "share upper"]
    assert long.columns.to_list() == ["region", "job", *numbers]
    assert long["estimate"].to_list() == cross.params.to_list() and len(long) == 6
    assert long["estimate"].dtype == long["noise upper"].dtype == np.int64
    cube = table(LEVELS)
    assert cube.wide(margins=True).shape == (7, 3) and cube.wide().index.names == ["region", "job"]
    one = table(["job"])
    assert one.wide(margins=True).to_numpy().tolist() == [[*one.value, one.value.sum()]]


# what is refused --------------------------------------------------------------------------------------


def test_what_is_no_table_says_so():
    mean = pydpstat.mean([1.0, 2.0], 1.0, bounds=(0, 3), rng=1)
    for name in ("margins", "shares", "long", "chi2"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'. This release is not a table: .* has {name}"):
            getattr(mean, name)
    with pytest.raises(AttributeError, match="A crosstab has wide"):
        _ = mean.wide
    shares = table().shares()
    for ask in (lambda: shares.margins("job"), shares.shares, shares.long):
        with pytest.raises(PydpstatError, match="this release of share is not a table"):
            ask()


def test_what_is_asked_for_must_be_in_the_table():
    cross = table()
    with pytest.raises(PydpstatError, match=r"names must be of the table's variables \('region', 'job'\); got 'x'"):
        cross.margins("x")
    with pytest.raises(PydpstatError, match="names must omit at least one"):
        cross.margins(["job", "region"])
    with pytest.raises(PydpstatError, match="names must have each variable once"):
        cross.margins(["job", "job"])
    for by in (["job", "region"], []):
        with pytest.raises(PydpstatError, match="by must be some of the table's variables, and not all"):
            cross.shares(by=by)
    with pytest.raises(PydpstatError, match="margins must be True or False"):
        cross.wide(margins="yes")


def test_noise_without_sums_is_refused_by_name():
    cross = table(mechanism=Laplace())
    for ask in (lambda: cross.margins("job"), lambda: cross.shares(by="job")):
        with pytest.raises(PydpstatError, match="Laplace noise have no known .*mechanism='geometric'"):
            ask()
    assert len(cross.long()) == 6


def test_levels_that_were_found_are_not_all():
    found = pydpstat.crosstab(FRAME["job"], 2.0, levels="discover", delta=1e-6, rng=1)
    for ask in (lambda: found.margins([]), found.shares):
        with pytest.raises(PydpstatError, match="levels that were found in the data"):
            ask()
    assert len(found.long()) == 2


def test_several_records_of_a_unit_leave_the_noise_intervals():
    ids = np.arange(600) // 2
    cross = table(unit=ids, max_records=2)
    assert cross.margins("region").conf_int().shape == (3, 2)
    assert cross.shares(by="region").conf_int().shape == (6, 2)
    for ask in (
        lambda: cross.margins("region").conf_int(kind="population"),
        lambda: cross.shares(by="region").conf_int(kind="population"),
        cross.chi2,
        lambda: cross.difference("n", "s", "no"),
        lambda: cross.pairs(variable="no"),
    ):
        with pytest.raises(PydpstatError, match="at most one record of each unit"):
            ask()


def test_one_record_of_a_unit_is_a_random_sample():
    cross = table(unit=np.arange(600) // 2, max_records=1)
    assert cross.unit is not None and cross.chi2().pvalue > 0.0
    ends = cross.shares(by="region").conf_int(kind="population")
    assert ((ends[1] - ends[0]) < 0.4).all()


def test_a_margin_that_cannot_be_tested_says_so_without_asking_for_another_release():
    frame = pd.DataFrame({"a": list("uv") * 60, "b": list("xxyy") * 30, "c": list("zzzwww") * 20})
    levels = {"a": ["u", "v"], "b": ["x", "y"], "c": ["z", "w"]}
    table = pydpstat.crosstab(frame, 1.0, levels=levels, rng=1)
    with pytest.raises(PydpstatError, match="margins cannot be tested.*Another release would cost epsilon"):
        table.margins(["a", "b"]).chi2()
    with pytest.raises(PydpstatError, match="is not a table of two variables"):
        table.chi2()
