"""What a result is: its other forms, R's call of it, and that it cannot be changed."""

import copy
import dataclasses
import json
import math
import operator
import pickle

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import DPResults, DPResultsPair, RRandom
from pydpstat.errors import PydpstatError
from pydpstat.results._call import Call
from tests.sample_results import AGES, FLAT, GROUP, parts, quietly, table


@pytest.fixture
def mean():
    return pydpstat.meanDP(AGES, 1.0, 0, 100, rng=RRandom(123))


def test_to_frame(release):
    for result in parts(release()):
        frame = result.to_frame(0.1)
        assert frame.columns.tolist() == ["estimate", "noise sd", "noise lower", "noise upper"]
        as_it_is = {"check_names": False, "check_dtype": False, "check_exact": True}
        pd.testing.assert_series_equal(frame["estimate"], result.params, **as_it_is)
        assert frame["noise sd"].equals(result.bse.rename("noise sd"))
        ends = frame[["noise lower", "noise upper"]]
        assert np.array_equal(ends.to_numpy(), result.conf_int(0.1).to_numpy())


def test_to_dict_is_json(release):
    for result in parts(release()):
        content = result.to_dict()
        assert json.loads(json.dumps(content, allow_nan=False)) == content
        assert np.ravel(content["estimate"]).tolist() == result.value.ravel(order="F").tolist()
        assert content["shape"] == list(result.value.shape) and len(content["names"]) == result.value.size
        assert content["call"] == result.call
        kept = result.guarantee.epsilon
        assert content["guarantee"]["epsilon"] == ("infinite" if math.isinf(kept) else kept)
        assert content["guarantee"]["conditions"] == list(result.guarantee.conditions)


def test_the_frozen_call(mean):
    assert mean.call == (
        "meanDP(x, eps=1.0, lower_bound=0, upper_bound=100, which_sensitivity='bounded', "
        "mechanism='Laplace', delta=0, type_DP='aDP')"
    )
    assert mean.r_call == (
        "DPpack::meanDP(x, eps = 1, lower.bound = 0, upper.bound = 100, "
        'which.sensitivity = "bounded", mechanism = "Laplace", delta = 0, type.DP = "aDP")'
    )


def test_calls_of_integer_noise():
    assert pydpstat.symmetric_geometric(3, 1.0, rng=1).r_call is None
    result = pydpstat.symmetric_geometric(3, 1.0, rng=1)
    assert result.call == "symmetric_geometric(value, epsilon=1.0, sensitivity=1)"


def test_calls_of_tables_keep_the_dimensions_names():
    result = table(Type=FLAT, place_of=GROUP)
    assert result.call.startswith("tableDP(Type=Type, place_of=place_of, eps=1, ")
    # a column's name is no argument of R's: its underscore is no dot
    assert result.r_call.startswith("DPpack::tableDP(Type = Type, place_of = place_of, eps = 1, ")


def test_r_calls_of_names_that_are_no_names_in_r():
    result = table(pd.Series(FLAT, name="marital status"))
    assert "tableDP(`marital status`" in result.r_call.replace("`marital status` = ", "")


def test_a_missing_level_in_r_calls():
    result = table([*FLAT, None], exclude=(None, "a"))
    assert result.estimate.index.tolist() == ["b", "c"] and 'exclude = c(NA, "a")' in result.r_call


@pytest.mark.parametrize(
    "value", [range(0, 5, 2), np.array([0, 2, 4]), pd.Series([0, 2, 4]), (0, 2, 4), [0.0, 2.0, 4.0]]
)
def test_breaks_in_r_calls(value):
    result = pydpstat.histogramDP([1.0, 2.0, 3.0], 1, 0, 4, breaks=value, rng=1)
    assert "breaks = c(0, 2, 4)" in result.r_call


def test_repr_is_one_deterministic_line(release):
    first, second = repr(release()), repr(release())
    # several values follow as a table, up to a screen
    head, *lines = first.split("\n")
    assert first == second and "0x" not in first and len(head) < 700 and len(lines) < 30
    assert first.startswith(("<DPResults", "<TableResults"))


def test_repr(mean):
    assert repr(mean) == "<DPResults mean: 30.8688, Laplace, (epsilon 1, delta 0), bounded neighbors>"
    flat = table(FLAT)
    head, *lines = repr(flat).split("\n")
    assert head.startswith("<TableResults table: 3 values, Laplace, ") and len(lines) >= 3
    assert lines == flat.estimate.to_string().split("\n")


@pytest.mark.parametrize(
    "clone",
    [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_round_trips(release, clone):
    before = release()
    after = clone(before)
    assert type(after) is type(before) and repr(after) == repr(before)
    for old, new in zip(parts(before), parts(after)):
        assert json.dumps(new.to_dict()) == json.dumps(old.to_dict())
        assert np.array_equal(new.value, old.value) and new.noise == old.noise
        with pytest.raises(dataclasses.FrozenInstanceError):
            new.value = old.value


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne"]
)
def test_operators_on_a_number(mean, name):
    operation, x = getattr(operator, name), float(mean)
    for other in (2, 2.5, np.float64(3), mean):
        plain = float(other) if other is mean else other
        for found, wanted in (
            (operation(mean, other), operation(x, plain)),
            (operation(other, mean), operation(plain, x)),
        ):
            assert found == wanted and not isinstance(found, DPResults)
    array = np.array([1.0, 2.0])
    series = pd.Series(array)
    for found, wanted in (
        (operation(mean, array), operation(x, array)),
        (operation(array, mean), operation(array, x)),
    ):
        assert type(found) is np.ndarray and np.array_equal(found, wanted)
    assert operation(mean, series).equals(operation(x, series))
    assert operation(series, mean).equals(operation(series, x))


def test_functions_of_a_number(mean):
    x = float(mean)
    assert -mean == -x and +mean == x and abs(-1 * mean) == x and type(-mean) is float
    assert round(mean, 3) == round(x, 3) and type(round(mean, 3)) is float and round(mean) == round(x)
    assert f"{mean:.3f}" == f"{x:.3f}" and f"{mean}" == str(x) and "%.2f" % mean == f"{x:.2f}"  # noqa: UP031
    assert int(mean) == int(x) and bool(mean) and math.sqrt(mean) == math.sqrt(x)
    assert math.floor(mean) == math.floor(x)
    assert sum([mean, mean]) == 2 * x and max(mean, 1.0) is mean and np.sqrt(mean) == math.sqrt(x)
    assert np.array([mean, mean], dtype=float).tolist() == [x, x]
    for wrong in (lambda: len(mean), lambda: mean[0], lambda: list(mean)):
        with pytest.raises(TypeError):
            wrong()


def test_the_digits_of_round_have_limits():
    result = pydpstat.symmetric_geometric(3, 1.0, rng=1)
    assert round(result, -300) == 0.0 and round(result, 300) == result.estimate
    for digits in (-301, 301):
        with pytest.raises(PydpstatError, match=f"digits must be a whole number from -300 to 300; got {digits}"):
            round(result, digits)


def test_operators_on_a_table():
    result = table(FLAT)
    plain = result.estimate
    number = pydpstat.meanDP(AGES, 1.0, 0, 100, rng=1)
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq):
        for one, other in ((result, 2), (2, result), (result, result), (number, result), (np.arange(3), result)):
            with pytest.raises(TypeError, match="TableResults has 3 values, and operators are .* result.params"):
                operation(one, other)
    with pytest.raises(TypeError, match="single numbers. Calculate with its estimates"):
        _ = -result
    assert len(result) == 3 and list(result) == list(plain) and result["b"] == plain["b"]
    assert round(result, 1).equals(plain.round(1)) and (result.params / 3).equals(plain / 3)
    assert np.mean(result) == plain.mean() and np.asarray(result, dtype=np.float32).dtype == np.float32
    with pytest.raises(TypeError):
        float(table(FLAT, GROUP))
    frame = table(FLAT, GROUP)
    assert frame["x"].equals(frame.estimate["x"])
    assert len(frame) == 3


def test_operators_on_a_histogram():
    result = pydpstat.histogramDP(AGES, 1.0, 0, 75, breaks=[0, 25, 50, 75], rng=RRandom(123))
    counts = result.estimate.counts
    with pytest.raises(TypeError, match="has 3 values, and operators are those of single numbers"):
        _ = result / 2
    assert len(result) == 3 and list(result) == counts.tolist() and result[0] == counts[0]
    assert result[1:].tolist() == counts[1:].tolist()


def test_results_are_frozen(release):
    for result in parts(release()):
        for each in dataclasses.fields(result):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(result, each.name, None)
        with pytest.raises((AttributeError, TypeError)):
            result.something_new = 1
        with pytest.raises(ValueError, match="read-only"):
            result.value[...] = 0.0
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.guarantee.epsilon = 0.1


def test_what_is_handed_out_is_a_copy(release):
    for result in parts(release()):
        before = result.value.tolist()
        np.asarray(result)[...] = -1.0
        params, bse, estimate = result.params, result.bse, result.estimate
        params.iloc[:] = -1.0
        bse.iloc[:] = -1.0
        if isinstance(estimate, (np.ndarray, pd.Series)):
            estimate[:] = -1.0
        elif isinstance(estimate, pd.DataFrame):
            estimate.iloc[:, :] = -1.0
        elif not isinstance(estimate, float):
            estimate.counts[:] = -1.0
            estimate.breaks[:] = -1.0
        assert result.value.tolist() == before


def test_zero_has_no_sign():
    result = pydpstat.histogramDP([1.0], 50.0, 0, 4, breaks=[0, 2, 4], allow_negative=True, rng=RRandom(4))
    assert not np.signbit(result.params.to_numpy()[1]) and not np.signbit(result.estimate.counts[1])


R_RESULTS = {
    "meanDP(x, 1, 0, 6)": lambda d, x, y, z, rng: d.meanDP(x, 1, 0, 6, rng=rng),
    "sdDP(x, 1, 0, 6)": lambda d, x, y, z, rng: d.sdDP(x, 1, 0, 6, rng=rng),
    "histogramDP(x, 1, 0, 6)": lambda d, x, y, z, rng: d.histogramDP(x, 1, 0, 6, rng=rng),
    "histogramDP(x, 1, 0, 6, normalize = TRUE)": (
        lambda d, x, y, z, rng: d.histogramDP(x, 1, 0, 6, normalize=True, rng=rng)
    ),
    "tableDP(y = y)": lambda d, x, y, z, rng: d.tableDP(y=y, rng=rng),
    "tableDP(y = y, z = z)": lambda d, x, y, z, rng: d.tableDP(y=y, z=z, rng=rng),
    "tableDP(y = y, z = z, k = y)": lambda d, x, y, z, rng: d.tableDP(y=y, z=z, k=y, rng=rng),
    "tableDP(y = y, useNA = 'always')": lambda d, x, y, z, rng: d.tableDP(y=y, useNA="always", rng=rng),
    "LaplaceMechanism(c(a = 1, b = 2), 1, 1)": lambda d, x, y, z, rng: d.LaplaceMechanism(
        pd.Series([1, 2], ["a", "b"]), 1, 1, rng=rng
    ),
    "LaplaceMechanism(matrix(c(1, 3, 2, 4, 5, 9), 2), 1, 1)": lambda d, x, y, z, rng: d.LaplaceMechanism(
        np.array([[1.0, 2, 5], [3, 4, 9]]), 1, 1, rng=rng
    ),
    "GaussianMechanism(c(1, 2), .5, .01, 1)": lambda d, x, y, z, rng: d.GaussianMechanism(
        [1, 2], 0.5, 0.01, 1, rng=rng
    ),
}


@pytest.mark.live
@pytest.mark.parametrize("expression", R_RESULTS)
def test_to_r_is_what_r_returns(live_r, expression):
    x = [0.3, 1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5.0, 5.5, 6.0]
    live_r.globalenv["x"] = live_r.FloatVector(x)
    live_r.globalenv["y"], live_r.globalenv["z"] = live_r.StrVector(FLAT), live_r.StrVector(GROUP)
    live_r.r("set.seed(11)")
    theirs = live_r.r(f"DPpack::{expression}")
    ours = quietly(R_RESULTS[expression], pydpstat, x, FLAT, GROUP, RRandom(11)).to_r()
    difference = live_r.r("function(a, b) all.equal(a, b, tolerance = 0)")(theirs, ours)
    assert live_r.r["identical"](theirs, ours)[0], list(map(str, difference))


@pytest.mark.live
def test_r_calls_run_in_r(live_r, release):
    """R evaluates r_call with the data assigned, after the same seed, to the same number."""
    from rpy2.robjects.conversion import localconverter

    if release.name.startswith("geometric"):
        assert release().r_call is None
        return
    seed = 4321
    for position, result in enumerate(parts(release(seed))):
        for name, value in _data(release).items():
            with localconverter(live_r.default_converter):
                live_r.globalenv[name] = value(live_r)
        live_r.r(f"set.seed({seed})")
        theirs = live_r.r(f"suppressWarnings({result.r_call})")
        if isinstance(release(seed), DPResultsPair):
            theirs = theirs[position]
        if result.labels.breaks is not None:
            theirs = theirs.rx2("counts")
        assert np.array_equal(np.ravel(np.asarray(theirs), order="F"), result.value.ravel(order="F"))


def _data(release):
    """The data of an example release, by the names that its call gives them."""
    one = ("mean", "mean, Gaussian", "mean, both", "variance", "standard deviation")
    numeric = {**dict.fromkeys(one, ["x"]), "covariance": ["x1", "x2"]}
    numeric |= {"pooled variance": ["sample1", "sample2"]}
    numeric |= dict.fromkeys(("Laplace, vector", "Laplace, Series"), ["true.values"])
    if release.name in numeric or release.name.startswith("histogram"):
        names = numeric.get(release.name, ["x"])
        values = dict(zip(names, [np.asarray(each, dtype=float) for each in release.private]))
        return {name: (lambda r, v=value: r.FloatVector(v.tolist())) for name, value in values.items()}
    if release.name == "pooled covariance, both":
        return {
            f"sample{place}": (lambda r, v=value: r.r["matrix"](r.FloatVector(v.ravel("F").tolist()), ncol=2))
            for place, value in enumerate(release.private, start=1)
        }
    if release.name == "Laplace, number":
        return {"true.values": lambda r: r.FloatVector(release.truth.tolist())}
    if release.name == "Gaussian, matrix":
        return {"true.values": lambda r: r.r["matrix"](r.FloatVector(release.truth.tolist()), nrow=2)}
    if release.name == "table of texts":
        repeated = np.repeat(["high", "low", "mid"], release.truth.astype(int)).tolist()
        return {"x1": lambda r: r.StrVector(repeated)}
    names = {"table, two ways": ["size", "side"], "table, three ways": ["size", "side", "odd"]}
    columns = zip(names.get(release.name, ["x1"]), release.private)
    return {name: (lambda r, v=value: _factor(r, v)) for name, value in columns}


def _factor(r, values):
    levels = r.StrVector(list(map(str, values.categories)))
    return r.r["factor"](r.StrVector(list(map(str, values))), levels=levels)


@pytest.mark.parametrize(
    "value, text",
    [
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (1e-6, "1e-06"),
        (80.867089, "80.867089000000007"),
        (-93.970691984698, "-93.970691984698007"),
        (1e-300, "0x1.56e1fc2f8f359p-997"),
    ],
)
def test_numbers_in_r_calls_are_what_r_reads_exactly(value, text):
    call = Call("f", (), (("bound", value), ("both", [value, 1.0])), "DPpack")
    assert call.format_r() == f"DPpack::f(bound = {text}, both = c({text}, 1))"
