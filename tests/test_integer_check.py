"""The one check of integers."""

from fractions import Fraction

import numpy as np
import pytest

import pydpstat as dp
from pydpstat._checks import check_integer
from pydpstat.consistency import Hierarchy, make_consistent
from pydpstat.errors import PydpstatError
from pydpstat.local import RandomizedResponse


@pytest.mark.parametrize("value", [5, 5.0, np.int8(5), np.uint64(5), np.float32(5), Fraction(5), [5], np.array([5.0])])
def test_what_is_an_integer(value):
    found = check_integer(value, "n", -3, 2**60)
    assert found == 5 and type(found) is int


@pytest.mark.parametrize(
    "value", [True, np.True_, 5.5, "5", None, np.nan, np.inf, -np.inf, [5, 6], 5j, np.array([]), object()]
)
def test_what_is_none(value):
    with pytest.raises(PydpstatError, match="^n must be a whole number; got "):
        check_integer(value, "n")


def test_whole_floats_where_an_int_is_meant():
    x = np.linspace(0, 1, 60)
    how = {"bounds": (0, 1), "rng": 1}
    medians = [float(dp.median(x, 1.0, grid_points=each, **how)) for each in (101.0, 101)]
    assert medians[0] == medians[1]
    assert dp.mean(x, 1.0, sample=30.0, **how).to_dict() == dp.mean(x, 1.0, sample=30, **how).to_dict()
    share, one = (dp.mean(x, 1.0, sample=each, **how).guarantee.epsilon for each in (1.0, 1))
    assert one < share == 1.0
    assert RandomizedResponse(1.0, 3.0).categories == RandomizedResponse(1.0, 3).categories
    assert RandomizedResponse(1.0, 2.0).categories == RandomizedResponse(1.0, 2).categories
    found = make_consistent(Hierarchy(["a", "b"]), [[13], [4, 6]])
    assert found.level(1.0).equals(found.level(1))


def test_limits_and_words():
    assert check_integer(-(10**400), "n") == -(10**400) and check_integer(-7, "n", maximum=7) == -7
    for arguments, words in [
        ((0, "n", 1), "n must be a whole number of at least 1; got 0."),
        ((-8, "n", None, 7), "n must be a whole number from -7 to 7; got -8."),
        ((9, "n", 1, 8), "n must be a whole number from 1 to 8; got 9."),
        ((0.5, "n", 1, 8), "n must be a whole number of at least 1; got 0.5."),
    ]:
        with pytest.raises(PydpstatError) as caught:
            check_integer(*arguments)
        assert str(caught.value) == words
    with pytest.raises(PydpstatError) as caught:
        check_integer(9, "n", 1, 8, allowed="a whole number from 1 to 8", hint="Give 2.")
    assert str(caught.value) == "n must be a whole number from 1 to 8; got 9. Give 2."
