"""What the designs promise: probabilities, exact answers, and containers that come back as they went in."""

import copy
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

import pydpstat
from pydpstat import PydpstatError, RRandom
from pydpstat.local import RandomizedResponse, RandomizedResponseCoins

FALSE_ALARM = 1e-6
LABELS = ["never", "sometimes", "daily"]
FAR = RandomizedResponse(700.0)
DESIGNS = [
    RandomizedResponse(1.0),
    RandomizedResponse(0.1),
    RandomizedResponse(2.0, LABELS),
    RandomizedResponse(1.0, 7),
    RandomizedResponseCoins(),
    RandomizedResponseCoins(0.3),
    RandomizedResponseCoins(0.6, 0.2),
    RandomizedResponseCoins(0.4, 0.9),
]


@pytest.mark.parametrize("epsilon, k", [(0.0, 2), (0.01, 3), (5.0, 10), (30.0, 2)])
def test_the_matrix_of_randomized_response(epsilon, k):
    matrix = RandomizedResponse(epsilon, k).design_matrix
    assert np.allclose(matrix.sum(), 1.0, rtol=0, atol=1e-15)
    assert np.allclose(np.diag(matrix), math.exp(epsilon) / (math.exp(epsilon) + k - 1), rtol=1e-15)
    assert np.allclose(matrix.max(axis=1) / matrix.min(axis=1), math.exp(epsilon), rtol=1e-14)
    assert list(matrix.index) == list(matrix.columns) == list(range(k))
    assert (matrix.index.name, matrix.columns.name) == ("answer", "truth")


@settings(max_examples=50)
@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_the_matrix_and_the_epsilon_of_coins(first, second):
    design = RandomizedResponseCoins(first, second)
    matrix = design.design_matrix
    p, q = Fraction(first), Fraction(second)
    exact = [[1 - p * q, p * (1 - q)], [p * q, 1 - p + p * q]]
    assert np.allclose(matrix, np.array(exact, dtype=float), rtol=0, atol=1e-15)
    ratio = max(exact[1][1] / exact[1][0], exact[0][0] / exact[0][1])
    with mpmath.workdps(60):
        true = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
        # the smallest float that is not below it
        assert mpmath.mpf(design.epsilon) >= true > mpmath.mpf(math.nextafter(design.epsilon, 0.0))


def test_the_epsilons_of_some_coins():
    assert RandomizedResponseCoins().epsilon == 1.0986122886681098
    assert RandomizedResponseCoins(1.0, 0.2).epsilon == 0.0
    for first, second in ((0.0, 0.5), (0.5, 0.0), (0.5, 1.0)):
        assert RandomizedResponseCoins(first, second).epsilon == math.inf
    # near 1 nothing is lost: epsilon is about (1 - p) / (p q)
    assert math.isclose(RandomizedResponseCoins(1 - 2**-50).epsilon, 2.0**-49, rel_tol=1e-12)
    coins = RandomizedResponseCoins(0.25, 0.75)
    assert (coins.prob_head_first, coins.prob_head_second) == (0.25, 0.75)


def test_the_guarantee():
    kept = RandomizedResponse(0.7).guarantee
    assert (kept.epsilon, kept.delta, kept.neighbors) == (0.7, 0.0, "bounded")
    assert "this person's value replaced" in kept.conditions[0]
    # an error about a value is not protected
    assert kept.conditions[2] == "whether every value is one of the categories is treated as public"
    assert "or missing is treated as public" in RandomizedResponse(0.7, missing=1).guarantee.conditions[2]
    # its curve is the exact one for two categories
    f = math.exp(0.7) / (1 + math.exp(0.7))
    assert math.isclose(kept.delta_at(0.2), f - math.exp(0.2) * (1 - f), rel_tol=1e-12)


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_designs_are_values(design):
    for again in (pickle.loads(pickle.dumps(design)), copy.copy(design), copy.deepcopy(design)):
        assert again == design and hash(again) == hash(design) and repr(again) == repr(design)
    names = {"RandomizedResponse": RandomizedResponse, "RandomizedResponseCoins": RandomizedResponseCoins}
    assert eval(repr(design), names) == design
    assert sum(design == other for other in DESIGNS) == 1 and design != "design"


def drawn(design, rng, n=60_000):
    """How often each answer was given for each truth."""
    k = len(design.categories)
    columns = []
    for truth in design.categories:
        answers = design.respond(np.array([truth] * n), rng)
        columns.append([int((answers == each).sum()) for each in design.categories])
    return np.array(columns).T.reshape(k, k)


def fits(counts, matrix):
    return min(stats.chisquare(seen, law * seen.sum()).pvalue for seen, law in zip(counts.T, matrix.T))


@pytest.mark.parametrize("source", ["operating system", "NumPy", "R"])
@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_the_law_of_the_answers(design, source):
    n = 60_000 if source == "operating system" else 20_000
    rng = {"operating system": None, "NumPy": np.random.default_rng(3), "R": RRandom(3)}[source]
    counts = drawn(design, rng, n)
    right = design.design_matrix.to_numpy()
    assert fits(counts, right) > FALSE_ALARM
    # answers that are 10 % closer to the truth or to chance are seen
    even = np.full(right.shape, 1.0 / len(right))
    for share in (-0.1, 0.1):
        wrong = (1.0 - share) * right + share * even
        spread = np.abs(right - even).max()
        if spread > 0.1 and (wrong > 0).all():
            assert fits(counts, wrong) < FALSE_ALARM


def test_answers_with_a_seed_are_an_r_users():
    truth = np.array([True, False] * 50)
    stream = RRandom(123)
    expected = truth ^ (stream.runif(100) < 1 / (1 + math.e))
    assert np.array_equal(RandomizedResponse(1.0).respond(truth, RRandom(123)), expected)
    stream = RRandom(123)
    heads, second = stream.runif(100) < 0.6, stream.runif(100) < 0.2
    coins = RandomizedResponseCoins(0.6, 0.2)
    assert np.array_equal(coins.respond(truth, RRandom(123)), np.where(heads, second, truth))


def test_an_int_seeds_numpy_and_a_generator_moves_on():
    design, truth = RandomizedResponse(0.5, 4), np.arange(1000) % 4
    assert np.array_equal(design.respond(truth, 5), design.respond(truth, np.random.default_rng(5)))
    rng = np.random.default_rng(5)
    assert not np.array_equal(design.respond(truth, rng), design.respond(truth, rng))


def test_nothing_and_everything():
    truth = np.arange(20_000) % 3
    answers = RandomizedResponse(0.0, 3).respond(truth)
    assert stats.chi2_contingency(pd.crosstab(truth, answers))[1] > FALSE_ALARM
    for design in (
        RandomizedResponse(math.inf),
        RandomizedResponseCoins(0.0),
        RandomizedResponseCoins(0.5, 1),
    ):
        assert str(design.guarantee) == "none (epsilon infinite)"
        with pytest.raises(PydpstatError, match=r"^respond\(\) needs a design with a finite epsilon"):
            design.respond([0, 1])
    assert RandomizedResponse(math.inf).design_matrix.to_numpy().tolist() == [[1, 0], [0, 1]]
    assert np.array_equal(RandomizedResponse(800.0).respond(truth % 2), truth % 2)
    assert np.array_equal(RandomizedResponse(1e300, 3).respond(truth), truth)
    half = RandomizedResponse(1e-300).respond(np.zeros(20_000, dtype=bool)).mean()
    assert abs(half - 0.5) < 0.02
    assert RandomizedResponseCoins(1.0, 1.0).respond([0, 0]).tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["?", "i1", ">i2", "u8", "f2", "f8", "c8", "O"])
def test_numpy_arrays_keep_their_shape(dtype):
    for shape in ((0,), (7,), (2, 3), (2, 0, 3), ()):
        truth = np.resize(np.array([0, 1, 1], dtype=dtype), shape)
        before = truth.copy()
        answers = RandomizedResponse(0.1).respond(truth)
        assert type(answers) is np.ndarray and answers.shape == shape
        assert answers.dtype == np.int8 and set(answers.ravel().tolist()) <= {0, 1}
        assert np.array_equal(truth, before)


def test_answers_are_no_view_of_the_values():
    for truth in (np.zeros(5, dtype=bool), np.zeros(5, dtype=np.int64)):
        for design in (*DESIGNS[:2], RandomizedResponse(40.0, 3), RandomizedResponseCoins(1e-9, 0.1)):
            values = truth.astype(np.int64) if len(design.categories) > 2 else truth
            assert not np.shares_memory(design.respond(values), values)


def test_strides_and_order():
    truth = np.asfortranarray(np.arange(60).reshape(6, 10) % 5)
    far = RandomizedResponse(700.0, 5)
    for view in (truth, truth.T, truth[::2, ::-3], np.broadcast_to(np.array([3]), (4, 2))):
        assert np.array_equal(far.respond(view), view)


def test_series_and_indexes_keep_index_and_name():
    index = pd.Index([f"p{i}" for i in range(40)], name="person")
    for kind in ("bool", "int8", "Int16", "boolean", "float64", "category", "Sparse[int64]", "object"):
        truth = pd.Series([1, 0] * 20, index, name="smokes").astype(kind)
        answers = RandomizedResponse(0.1).respond(truth)
        assert isinstance(answers, pd.Series) and answers.dtype == np.int8 and not answers.attrs
        assert answers.index.equals(index) and answers.index.name == "person" and answers.name == "smokes"
        assert set(answers.tolist()) == {0, 1}
    assert FAR.respond(pd.Index([1, 0], name="q")).equals(pd.Index([1, 0], name="q"))
    assert FAR.respond(pd.Index([True, False], name="q")).name == "q"


def test_categoricals_are_found_by_their_labels():
    # in another order than the design's, and with a category that nobody has
    truth = pd.Categorical(LABELS * 20, categories=["hourly", *LABELS[::-1]], ordered=True)
    far = RandomizedResponse(700.0, LABELS)
    assert type(far.respond(truth)) is np.ndarray and far.respond(truth).tolist() == list(truth)
    column = far.respond(pd.Series(truth, name="smokes"))
    assert column.dtype == pd.Series(LABELS).dtype and column.name == "smokes"
    flags = pd.Categorical([True, False, True], categories=[False, True])
    assert FAR.respond(flags).tolist() == [1, 0, 1]


def test_lists_and_single_values():
    for values in ([1, 0, 1], (1, 0, 1), [True, False, True], range(2)):
        answers = FAR.respond(values)
        assert type(answers) is np.ndarray and answers.tolist() == list(values)
    smokes = RandomizedResponse(700.0, LABELS)
    assert smokes.respond("daily") == "daily" and type(smokes.respond(np.str_("daily"))) is str
    assert smokes.respond([LABELS, LABELS]).tolist() == [LABELS, LABELS]
    assert smokes.respond([np.array(LABELS), pd.Series(LABELS)]).tolist() == [LABELS, LABELS]
    assert smokes.respond([[], []]).shape == (2, 0)
    assert RandomizedResponse(700.0, 5).respond(np.array(4)).shape == ()
    assert RandomizedResponse(700.0, [1, "a"]).respond([1, "a", 1]).tolist() == [1, "a", 1]


@given(arrays.arrays(np.int64, arrays.array_shapes(max_dims=3), elements=st.integers(0, 4)))
def test_answers_are_categories_in_the_values_shape(truth):
    answers = RandomizedResponse(0.3, 5).respond(truth)
    assert answers.shape == truth.shape and answers.dtype == np.int8
    assert answers.min() >= 0 and answers.max() <= 4
    assert np.array_equal(RandomizedResponse(700.0, 5).respond(truth), truth)


# missing values and other categories

MISSING = [
    [1, None],
    np.array([1.0, np.nan]),
    np.ma.array([1, 0], mask=[False, True]),
    pd.Series([True, None], dtype="boolean"),
    pd.Categorical([1, None], categories=[0, 1]),
    pd.NA,
]


@pytest.mark.parametrize("values", MISSING, ids=lambda each: f"{type(each).__name__}")
def test_missing_values(values):
    for design in (RandomizedResponse(1.0), RandomizedResponseCoins()):
        with pytest.raises(PydpstatError, match="^values must be .*none missing; got other or missing"):
            design.respond(values)
    with pytest.raises(PydpstatError, match="^answers must be .* none missing"):
        RandomizedResponse(1.0).estimate(values)


def test_missing_values_as_a_category():
    labels = ["no", "yes", "no answer"]
    design = RandomizedResponse(700.0, labels, missing="no answer")
    assert design.respond(["no", None, "yes", math.nan]).tolist() == ["no", "no answer", "yes", "no answer"]
    assert design.respond(None) == "no answer"
    column = pd.Series(["yes", None])
    assert design.respond(column).tolist() == ["yes", "no answer"]
    assert pickle.loads(pickle.dumps(design)) == design and "missing='no answer'" in repr(design)
    three = RandomizedResponse(700.0, 3, missing=2)
    assert three.respond(pd.Series([0, 1, None])).tolist() == [0, 1, 2]
    # an answer cannot be missing
    with pytest.raises(PydpstatError, match="^answers must be .* none missing"):
        design.estimate(["no", None])


@pytest.mark.parametrize(
    "values",
    [
        pd.DataFrame({"x": [0, 1]}),
        {0, 1},
        {"x": 1},
        (each for each in (0, 1)),
        pd.Categorical([1], categories=[1, 2]),
        pydpstat,
    ],
    ids=lambda each: type(each).__name__,
)
def test_other_containers(values):
    with pytest.raises(PydpstatError, match="^values must "):
        RandomizedResponse(1.0, LABELS).respond(values)


@pytest.mark.parametrize(
    "categories", [1, 2.5, True, 10**7, "ab", ["a"], [0, False], ["a", None], [[1], [2]]], ids=repr
)
def test_what_are_no_categories(categories):
    with pytest.raises(PydpstatError, match="^categories must be their number,"):
        RandomizedResponse(1, categories)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RandomizedResponse(-1), "^epsilon must be a number of at least 0; got -1"),
        (lambda: RandomizedResponse(math.nan), "^epsilon must be a number"),
        (lambda: RandomizedResponse(1, ["a", "b"], missing="c"), "^missing must be 'error' or one"),
        (lambda: RandomizedResponse(1, ["yes", "no"], missing="yess"), "Did you mean 'yes'"),
        (lambda: RandomizedResponse(1, missing=np.zeros(3)), "^missing must be 'error' or one"),
        (lambda: RandomizedResponseCoins(1.5), "^prob_head_first must be a number from 0 to 1; got 1.5"),
        (lambda: RandomizedResponseCoins(0.5, math.nan), "^prob_head_second must be a number from 0 to 1"),
        (lambda: RandomizedResponse(1).respond([1], rng="seed"), "^rng must be None"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(PydpstatError, match=message):
        call()


def test_a_design_is_shown_as_it_is_made():
    shown = "RandomizedResponse(0.5)", "RandomizedResponse(0.5, categories=3)"
    assert (repr(RandomizedResponse(0.5)), repr(RandomizedResponse(0.5, 3))) == shown
