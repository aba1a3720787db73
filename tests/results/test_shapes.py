"""Results by shape: what `dir` offers is what a result can do, and the rest says what to release."""

import copy
import math
import pickle
import sys
import types

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import ArgumentError, MissingExtraError, PydpstatError
from pydpstat.results._call import Call
from pydpstat.results._inference_pictures import make_power_picture
from pydpstat.results._ranges import make_sum_range
from pydpstat.results._release_page import ReleasePage, _format_range
from pydpstat.results._shapes import derive_release, find_shape
from tests.sample_results import quietly

X = np.linspace(20, 60, 600)
G = np.repeat(["a", "b", "c"], 200)
BY = {"by": G, "levels": ["a", "b", "c"], "rng": 1}
FRAME = pd.DataFrame({"s": ["n", "y"] * 300, "g": G, "i": (["n"] * 3 + ["y"]) * 150, "x": X})
LEVELS = {"s": ["n", "y"], "g": ["a", "b", "c"], "i": ["n", "y"]}
ONE = {"bounds": (0, 100), "rng": 1}
Y = 0.2 + 0.01 * X
PAIR = [(-1, 2), (0, 100)]


def cross(*names, **options):
    return dp.crosstab(FRAME[list(names)], 2.0, levels=[LEVELS[name] for name in names], rng=1, **options)


GUARANTEED = "call claim delta epsilon guarantee neighbors statement summary to_csv to_dict to_frame to_html to_latex "
GUARANTEED += "to_markdown to_polars unit"
RELEASED = "bounds bse estimate grid labels mechanism nobs noise noise_scale params postprocessing r_call reproducible "
RELEASED += f"sensitivity statistic to_r value {GUARANTEED}"
NUMBERS = f"{RELEASED} accuracy conf_int plot"
REGRESSED = (
    "assumptions bounds mechanism method model names nobs noise_scale null pvalue_floor pvalues released remarks "
)
REGRESSED += f"glance reproducible response test tidy tvalues validity {GUARANTEED}"
ESTIMATED = "bse conf_int estimate params plot predict"
FITTED = "rsquared rsquared_adj scale"
COMBINED = "cov_params f_test get_prediction t_test wald_test"
TESTED = (
    "alternative assumptions behind bounds estimate estimates mechanism nobs noise_scale null parameter params plot "
)
TESTED += f"glance pvalue pvalue_floor released remarks reproducible statistic test tidy validity {GUARANTEED}"
INTERVAL = "conf_int confidence_interval"
# each shape: how it is made, its class, and all that it offers
SHAPES = {
    "mean": (lambda: dp.mean(X, 1.0, **ONE), "DPResults", NUMBERS),
    "private size": (lambda: dp.mean(X, 1.0, neighbors="unbounded", **ONE), "DPResults", f"{NUMBERS} noisy_nobs"),
    "population": (lambda: dp.mean(X, 1.0, population=True, **ONE), "DPResults", NUMBERS),
    "means": (lambda: dp.mean(FRAME[["x"]], 1.0, **ONE), "DPResults", NUMBERS),
    "correlations": (
        lambda: dp.corr(FRAME.assign(y=Y)[["x", "y"]], 1.0, bounds=PAIR[::-1], rng=1),
        "DPResults",
        NUMBERS,
    ),
    "median": (lambda: dp.median(X, 1.0, **ONE), "DPResults", RELEASED + " plot"),
    "choice": (lambda: dp.choose(["a", "b"], [1.0, 2.0], 1.0, sensitivity=1.0, rng=1), "DPResults", RELEASED),
    "mirror": (lambda: dp.meanDP(X, 1.0, 0, 100, rng=1), "DPResults", NUMBERS),
    "mirror histogram": (lambda: dp.histogramDP(X, 1.0, 0, 100, [0, 50, 100], rng=1), "DPResults", NUMBERS),
    "mirror table": (
        lambda: quietly(dp.tableDP, FRAME.s, FRAME.i, eps=1.0, rng=1),
        "TableResults",
        f"{NUMBERS} long wide",
    ),
    "counts": (lambda: cross("s"), "TableResults", f"{NUMBERS} long margins shares wide"),
    "table": (
        lambda: cross("s", "i"),
        "TableResults",
        f"{NUMBERS} chi2 difference long margins pairs shares wide",
    ),
    "three variables": (lambda: cross("s", "i", "g"), "TableResults", f"{NUMBERS} long margins shares wide"),
    "margins": (
        lambda: cross("s", "i", "g").margins(["s", "i"]),
        "TableResults",
        f"{NUMBERS} difference long margins pairs shares wide",
    ),
    "total": (lambda: cross("s", "i").margins([]), "DPResults", NUMBERS),
    "shares": (lambda: cross("s", "i").shares(), "TableResults", f"{NUMBERS} wide"),
    "shares of one": (lambda: cross("s").shares(), "TableResults", NUMBERS),
    "shares in rows": (lambda: cross("s", "i").shares(by="s"), "GroupedResults", f"{NUMBERS} difference pairs wide"),
    "counts by group": (
        lambda: dp.design(FRAME, levels=LEVELS, rng=1).count(1.0, by=["s", "g"]),
        "TableResults",
        f"{NUMBERS} long margins shares wide",
    ),
    "histogram": (
        lambda: dp.histogram(X, 1.0, edges=[0, 30, 100], rng=1),
        "HistogramResults",
        f"{NUMBERS} cdf quantile",
    ),
    "one bin": (lambda: dp.histogram(X, 1.0, edges=[0, 100], rng=1), "HistogramResults", f"{NUMBERS} quantile"),
    "quantiles": (lambda: dp.histogram(X, 1.0, edges=[0, 30, 100], rng=1).quantile([0.5]), "DPResults", NUMBERS),
    "histograms": (
        lambda: dp.histogram(X, 1.0, edges=[0, 30, 100], **BY),
        "GroupedHistogramResults",
        f"{NUMBERS} cdf difference pairs quantile wide",
    ),
    "groups": (
        lambda: dp.mean(X, 1.0, bounds=(0, 100), population=True, **BY),
        "GroupedResults",
        f"{NUMBERS} difference f_oneway noisy_nobs pairs",
    ),
    "groups without population": (
        lambda: dp.mean(X, 1.0, bounds=(0, 100), **BY),
        "GroupedResults",
        f"{NUMBERS} noisy_nobs",
    ),
    "groups of two keys": (
        lambda: dp.sum(FRAME[["x", "s", "g"]], 1.0, by=["s", "g"], levels=[LEVELS["s"], LEVELS["g"]], **ONE),
        "GroupedResults",
        f"{NUMBERS} wide",
    ),
    "counts of a condition": (lambda: dp.count(X > 40, 1.0, **BY), "GroupedResults", NUMBERS),
    "proportions": (lambda: dp.proportion(X > 40, 1.0, **BY), "GroupedResults", f"{NUMBERS} difference pairs"),
    "test": (lambda: dp.ttest_1samp(X, 50, 1.0, **ONE), "InferenceResults", f"{TESTED} {INTERVAL}"),
    "test of ranks": (lambda: dp.wilcoxon(X, 1.0, rng=1), "InferenceResults", TESTED),
    "test of a table": (lambda: cross("s", "i").chi2(), "InferenceResults", f"{TESTED} df"),
    "regression": (
        lambda: dp.ols(Y, X, 5.0, bounds=PAIR, rng=1),
        "RegressionResults",
        f"{REGRESSED} {ESTIMATED} {FITTED} {COMBINED}",
    ),
    "robust regression": (
        lambda: dp.ols(Y, X, 5.0, bounds=PAIR, cov_type="HC3", rng=1),
        "RegressionResults",
        f"{REGRESSED} {ESTIMATED} {FITTED}",
    ),
    "regression of ranks": (
        lambda: dp.ols(Y, X, 5.0, bounds=PAIR, method="rank", rng=1),
        "RegressionResults",
        REGRESSED,
    ),
    "logistic regression": (
        lambda: dp.logit(X > 40, X, 5.0, bounds=(0, 100), rng=1),
        "RegressionResults",
        f"{REGRESSED} {ESTIMATED} {COMBINED}",
    ),
}
# what methods are called with; those of a table or a histogram by group differ by what it has
ARGUMENTS = {
    "predict": ([[30.0]],),
    "get_prediction": ([[30.0]],),
    "t_test": ("x1 = 0",),
    "wald_test": ("x1 = 0",),
    "f_test": ("x1 = 0",),
    "test": ("x1", 0.0),
    "margins": ([],),
}


@pytest.fixture(params=SHAPES, scope="module")
def shape(request):
    make, kind, offered = SHAPES[request.param]
    return make(), kind, offered


def names(result):
    return [name for name in dir(result) if not name.startswith("_")]


def use(result, name):
    found = getattr(result, name)
    if not callable(found) or name == "noise":
        return found
    if name in ("difference", "pairs"):
        variable = getattr(result.labels, "series", ("n",))[:1] if hasattr(result, "labels") else ()
        options = {"variable": variable[0]} if variable else {}
        groups = getattr(result.labels, "rows", None) or [(level,) for level in result.labels.dimnames[0]]
        pair = (groups[0][0], groups[1][0]) if name == "difference" else ()
        return found(*pair, **options)
    return found(*ARGUMENTS.get(name, ()))


def test_a_result_offers_what_its_shape_has(shape):
    result, kind, offered = shape
    assert type(result).__name__ == kind
    assert names(result) == sorted(offered.split())


def test_all_that_is_offered_works(shape):
    result, _, _ = shape
    for name in names(result):
        try:
            use(result, name)
        except MissingExtraError:
            assert name in ("to_r", "plot", "to_polars")
    figures = sys.modules.get("matplotlib.pyplot")
    if figures is not None:
        figures.close("all")


def test_a_copy_has_the_same_shape(shape):
    result, _, _ = shape
    for again in (copy.copy(result), pickle.loads(pickle.dumps(result))):
        assert type(again) is type(result) and names(again) == names(result)


def test_bases_are_few_and_shapes_two_levels_deep():
    assert len(dp.DPResults.__mro__) - 2 <= 3
    seen, level = {dp.DPResults}, {dp.DPResults}
    for _ in range(2):
        level = {each for kind in level for each in kind.__subclasses__()}
        seen |= level
    assert not {each for kind in level for each in kind.__subclasses__()}
    assert {dp.TableResults, dp.HistogramResults, dp.GroupedResults, dp.GroupedHistogramResults} <= seen


@pytest.mark.parametrize(
    ("name", "said"),
    {
        "margins": "This release is not a table: release a crosstab of several variables, which has margins()",
        "shares": "release a crosstab of several variables, which has shares()",
        "long": "release a crosstab of several variables, which has long()",
        "chi2": "release a crosstab of several variables, which has chi2()",
        "wide": "A crosstab has wide(), and so have numbers by several keys",
        "quantile": "This release is not a histogram, so it has no quantiles: pydpstat.histogram with public edges",
        "cdf": "pydpstat.histogram with public edges has cdf()",
        "difference": "release a mean with by= and population=True, a proportion with by=, or a crosstab",
        "pairs": "This release has no groups that can be compared",
        "f_oneway": "This release has no means of groups that can be compared",
    }.items(),
)
def test_a_method_of_another_shape_says_what_to_release(name, said):
    result = dp.mean(X, 1.0, **ONE)
    assert name not in dir(type(result)) and not hasattr(result, name)
    with pytest.raises(AttributeError) as caught:
        getattr(result, name)
    assert str(caught.value).startswith(f"DPResults has no attribute '{name}'. ") and said in str(caught.value)


def test_what_one_release_of_a_shape_has_not_says_why():
    with pytest.raises(PydpstatError, match=r"Write mean\(..., population=True\)"):
        dp.mean(X, 1.0, bounds=(0, 100), **BY).pairs()
    with pytest.raises(PydpstatError, match="has one number for each level of one key, and no wide form"):
        dp.mean(X, 1.0, bounds=(0, 100), **BY).wide()
    for method in ("difference", "pairs"):
        with pytest.raises(PydpstatError, match="has no groups that can be compared"):
            getattr(cross("s"), method)(*["n", "y"] * (method == "difference"))


def test_operators_are_those_of_single_numbers():
    number, several = dp.mean(X, 1.0, **ONE), cross("s")
    assert number + 1 == float(number) + 1 and 2 * number == number * 2 and number / number == 1.0
    for wrong in (lambda: several + 1, lambda: 2 * several, lambda: number - several, lambda: several > 0):
        with pytest.raises(ArgumentError, match="TableResults has 3 values, and operators are those of single numbers"):
            wrong()
    assert float(cross("s").margins([])) == several.params.sum()


def test_the_class_follows_the_labels():
    result = dp.mean(X, 1.0, bounds=(0, 100), **BY)
    assert find_shape(result.statistic, result.labels) == "groups"
    labels = dp.mean(X, 1.0, **ONE).labels
    assert type(derive_release(result, value=result.value[0], labels=labels)) is dp.DPResults


def test_a_regression_has_each_number_once_by_the_names_of_statsmodels():
    result = dp.ols(Y, X, 5.0, bounds=PAIR, rng=1)
    for name, hint in {"coef": "result.params", "coefs": "result.params", "se": "result.bse"}.items():
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'. Write {hint}"):
            getattr(result, name)
    for name in "errors statistics probabilities tested intervals labels fit design link combinations".split():
        assert not hasattr(result, name)


def test_a_heading_has_no_colon_without_a_subject():
    call = Call("count", (("condition", "condition"),), (("epsilon", 1.0),))
    assert call.format_heading("Count") == "Count" and call.format_heading("Count", "age") == "Count: age"


def test_sums_of_a_private_number_of_records_are_limited_by_the_signs_of_their_bounds():
    inf = math.inf
    found = make_sum_range([(0.0, 5.0), (2.0, 5.0), (-3.0, 0.0), (-3.0, -1.0), (-1.0, 1.0)], None)
    assert found.low == (0.0, 0.0, -inf, -inf, -inf) and found.high == (inf, inf, 0.0, 0.0, inf)
    public = make_sum_range([(-3.0, 5.0)], 10)
    assert (public.low, public.high) == (-30.0, 50.0)


def test_equal_numbers_are_shown_once_and_others_as_a_range():
    assert _format_range([2.0, 2.0, math.nan]) == "2" and _format_range(0.5) == "0.5"
    assert _format_range([3.0, 1.0, 2.0]) == "1 to 3" and _format_range([math.nan]) == "-"


def test_tables_are_shown_with_a_column_for_each_level_of_the_last_variable():
    table = dp.crosstab(FRAME[["s", "g", "i"]], 1.0, levels=LEVELS, other=None, rng=1)
    assert ReleasePage(table).is_wide_table()
    for other in (dp.mean(X, 1.0, bounds=(20, 60), rng=1), dp.mean(X, 1.0, bounds=(20, 60), other=None, **BY)):
        assert not ReleasePage(other).is_wide_table()


def test_powers_are_written_beside_their_points():
    powers = (("t test", 0.8), ("sign test", 0.5))
    plan = types.SimpleNamespace(n=100, test="t test", epsilon=1.0, effect=0.5, powers=powers, alpha=0.05)
    picture = make_power_picture(plan)
    assert picture.has_numbers and picture.names == ["t test", "sign test"]


def test_keys_are_found_by_one_name_or_by_several():
    frame = FRAME.rename(columns={"s": "sex", "i": "isle"})[["sex", "isle", "x"]]
    levels = {"sex": ["n", "y"], "isle": ["n", "y"]}
    labels = dp.mean(frame, 1.0, by=["sex", "isle"], levels=levels, other=None, bounds=(20, 60), rng=1).labels
    assert labels.find_keys("isle") == (1,) and labels.find_keys(None) == ()
    assert labels.find_keys(["isle", "sex"]) == (1, 0) and labels.find_keys(("sex",)) == (0,)
    with pytest.raises(PydpstatError, match=r"within must be of the release's keys \(sex, isle\); got 'age'"):
        labels.find_keys("age")
