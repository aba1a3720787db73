"""What answers are: fixed by the design alone, whatever the truths are and whether they are missing."""

import datetime
import math
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.errors import LargeEpsilonWarning
from pydpstat.local import LaplaceAccess, RandomizedResponse, RandomizedResponseCoins, federate_array

EQUAL_TO_ONE = (1, 1.0, True, np.int8(1), np.float32(1), np.bool_(True), Decimal(1), 1 + 0j)
NUMBERS = (math.nan, np.float32("nan"), Decimal("sNaN"))
MISSING = (None, *NUMBERS, pd.NA, pd.NaT, np.datetime64("NaT"), np.ma.masked)


class Odd:
    """A truth that can be neither hashed nor compared nor shown."""

    __hash__ = None

    def __eq__(self, other):
        raise ValueError("secret")

    def __repr__(self):
        raise ValueError("secret")


OTHERS = (7, "1", b"1", 0.5, [1], {}, Odd(), object(), datetime.date(2020, 1, 1), float("inf"), 10**400)


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [False, True], [0, 1.0]], ids=str)
def test_the_answer_to_one_person_is_the_designs_own_object(labels):
    for epsilon in (0.1, 700.0):
        design = RandomizedResponse(epsilon, labels, missing=labels[1])
        for truth in (*EQUAL_TO_ONE, *MISSING):
            answer = design.respond(truth)
            assert any(answer is label for label in design.categories)
            assert answer == 1 or epsilon == 0.1


@pytest.mark.parametrize("rule", ["error", 0])
@pytest.mark.parametrize("truth", OTHERS, ids=lambda each: type(each).__name__)
def test_a_truth_that_is_no_category_is_an_error_that_shows_nothing_of_it(truth, rule):
    design = RandomizedResponse(1.0, missing=rule)
    messages = set()
    alone = [] if isinstance(truth, (list, dict)) else [truth]
    for values in (*alone, [1, truth, 0], objects(1, truth), pd.Series(objects(truth, 1)), [1, "other"]):
        messages.add(said(design, values))
    (message,) = messages
    assert message.startswith("values must be among the design's categories [0, 1]")


def test_without_a_rule_a_missing_truth_is_an_error_like_any_other():
    given = [1, None], [1, 7], [1, "x"], None, 7, np.array([np.nan]), np.ma.array([1], mask=[True])
    assert len({said(RandomizedResponse(1.0), values) for values in given}) == 1


def objects(*values):
    return np.fromiter(values, dtype=object, count=len(values))


def containers(second):
    """Truths 1, `second`, 0 in everything that can hold them."""
    gone = second is None
    yield objects(1, second, 0)
    yield np.array([1.0, np.nan if gone else second, 0.0])
    yield np.array([1, np.nan if gone else second, 0], dtype="f2")
    yield np.ma.array([1, 0, 0], mask=[False, gone, False])
    yield np.ma.array([True, False, False], mask=[False, gone, False])
    for kind in ("Int8", "boolean", "Float32", "category", "object", "float32"):
        yield pd.array([1, second, 0], dtype=kind) if kind != "float32" else [1, second, 0]
    if not gone:
        yield np.array([True, False, False])
        yield np.array([1, 0, 0], dtype=">u2")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(2, "int8"), (3, "int8"), ([0, 7, 1], "int64"), ([False, True], "bool"), ([0.0, 1.0, 7.5], "float64")],
)
@pytest.mark.parametrize("epsilon", [0.1, 700.0])
def test_answers_in_an_array_have_the_type_of_the_designs_categories(labels, kind, epsilon):
    design = RandomizedResponse(epsilon, labels, missing=0)
    for second in (0, None):
        for truth in containers(second):
            answers = design.respond(truth)
            assert type(answers) is np.ndarray and answers.dtype == kind and answers.shape == (3,)
            assert epsilon == 0.1 or answers.tolist() == [1, 0, 0]
            for like in (pd.Series, pd.Index):
                # pandas has no index of 16 bits, and no masks
                if not isinstance(truth, (list, np.ma.MaskedArray)) and truth.dtype != "f2":
                    given = design.respond(like(truth, name="q", dtype=truth.dtype))
                    assert isinstance(given, like) and given.dtype == like(np.array([1], kind)).dtype
                    assert given.name == "q" and (epsilon == 0.1 or given.tolist() == [1, 0, 0])


def test_columns_of_times_can_be_missing_as_well():
    design = RandomizedResponse(700.0, ["no", "yes"], missing="yes")
    for kind in ("datetime64[ns]", "timedelta64[ns]", "datetime64[ns, UTC]", "period[D]"):
        answers = design.respond(pd.Series([None, None], dtype=kind))
        assert answers.dtype == pd.Series(["no"]).dtype and answers.tolist() == ["yes", "yes"]
    assert design.respond(np.array(["NaT"], dtype="M8[D]")).tolist() == ["yes"]
    with pytest.raises(PydpstatError, match="^values must be among the design's categories"):
        design.respond(pd.Series(pd.to_datetime(["2020-01-01", None])))


def test_each_truth_is_found_by_itself():
    # beside a number that is no whole one, or a text, NumPy makes of the first one another
    big = RandomizedResponse(700.0, [2**53, 2**53 + 1, 0.5])
    assert big.respond([2**53 + 1, 0.5]).tolist() == [2**53 + 1, 0.5]
    mixed = RandomizedResponse(700.0, [1, "1", "no"], missing="no")
    assert mixed.respond([1, "1", True, None, 1.0]).tolist() == [1, "1", 1, "no", 1]
    assert mixed.respond([1, np.ma.masked]).tolist() == [1, "no"]
    assert federated(mixed, [1, "1", True, None]).tolist() == [1, "1", 1, "no"]


def federated(design, values):
    nodes = federate_array(values)
    nodes.configure_data_access(design)
    return nodes.query()


def test_a_truth_in_a_list_that_is_a_list_is_no_category():
    for values in ([[1], [0, 1]], [[1], 0], [1, np.array([1, 0])]):
        with pytest.raises(PydpstatError, match="^values must be among the design's categories"):
            RandomizedResponse(1.0).respond(values)
        with pytest.raises(PydpstatError, match="^values must be among the design's categories"):
            federated(RandomizedResponse(1.0), values)
    deep = []
    deep.append(deep)
    with pytest.raises(PydpstatError, match="^values must be among the design's categories"):
        RandomizedResponse(1.0).respond(deep)


@pytest.mark.parametrize("setting", ["ignore", "raise"])
def test_nothing_is_heard_of_a_truth(setting):
    design = RandomizedResponse(700.0, 3, missing=2)
    signalling = np.array([0x7F800001], dtype=np.uint32).view(np.float32)
    with np.errstate(all=setting), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", LargeEpsilonWarning)
        for truth in (*MISSING, signalling[0]):
            assert design.respond(truth) == 2
            assert design.respond([1, truth]).tolist() == [1, 2]
            assert federated(design, [truth, 1]).tolist() == [2, 1]
        assert design.respond(signalling).tolist() == [2]
    assert not heard


def said(access, values):
    """The error to some values, which comes without a warning and without another error behind it."""
    with pytest.raises(PydpstatError) as error:
        access.respond(values)
    assert error.value.__cause__ is None and error.value.__context__ is None
    return str(error.value)


def test_access_by_noise_does_not_tell_what_a_value_is_instead_of_a_number():
    access = LaplaceAccess(1.0, bounds=(0, 1))
    others = ["1", Odd(), datetime.date(2020, 1, 1), 1j]
    with np.errstate(all="raise"):
        assert len({said(access, truth) for truth in (*MISSING, *others)}) == 1
        assert len({said(access, [1.0, truth]) for truth in (*MISSING, *others, [1], {})}) == 1
        columns = [pd.Series([0.5, None]), pd.Series(["1", "0"]), pd.Series([1, 0], dtype="category")]
        assert len({said(access, column) for column in columns}) == 1


def test_access_by_noise_gives_floats_for_all_numbers():
    access = LaplaceAccess(1.0, bounds=(0, 1))
    # more than a float holds is a number, too
    with np.errstate(all="raise"):
        for truth in (*EQUAL_TO_ONE[:-1], 10**400, np.array("1e4000", dtype="g")[()]):
            assert type(access.respond(truth)) is float
            assert access.respond([truth, 0]).dtype == np.float64
            assert type(access.respond(np.array(truth))) is float


@pytest.mark.parametrize(
    "design",
    [RandomizedResponse(1.0), RandomizedResponse(1.0, 3), RandomizedResponseCoins(0.5, 0.3)],
    ids=["two", "three", "coins"],
)
def test_the_bytes_of_truth_values_reach_no_answer(design):
    # a mask of an image: each byte that is not 0 is True
    truth = np.array([255, 0, 2, 1] * 500, dtype=np.uint8).view(np.bool_)
    plain = np.array([True, False, True, True] * 500)
    assert np.array_equal(design.respond(truth, rng=1), design.respond(plain, rng=1))
    nodes = federate_array(truth)
    nodes.configure_data_access(design)
    for answers in (design.respond(truth), nodes.query()):
        assert set(answers.tolist()) <= set(design.categories)
