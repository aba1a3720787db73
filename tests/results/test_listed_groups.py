"""Groups and variables that a message lists: all of them, or the first with their number."""

import numpy as np
import pytest

import pydpstat as dp
from pydpstat.errors import PydpstatError

X = np.tile(np.linspace(0, 1, 100), 30)


def compare(n_groups, *groups):
    names = [f"g{place}" for place in range(n_groups)]
    by = np.array(names)[np.arange(X.size) % n_groups]
    return dp.proportion(X > 0.5, 1.0, by=by, levels=names, other=None, rng=1).difference(*groups)


def test_all_of_twelve_groups_are_listed():
    with pytest.raises(PydpstatError) as caught:
        compare(12, "g0", "z")
    listed = ", ".join(f"g{place}" for place in range(12))
    assert f"b must be one of the release's groups ({listed}); got 'z'. Give its level," in str(caught.value)


def test_the_first_of_many_groups_are_listed_with_their_number():
    with pytest.raises(PydpstatError, match=r"\(g0, g1, .*, g17, \.\.\. 30 in all\); got 'z'"):
        compare(30, "g0", "z")


def test_a_misspelled_group_is_corrected():
    by = np.repeat(["north", "south"], 1500)
    shares = dp.proportion(X > 0.5, 1.0, by=by, levels=["north", "south"], rng=1)
    with pytest.raises(PydpstatError, match=r"\(north, south, other\); got 'North'. Did you mean 'north'\?"):
        shares.difference("North", "south")
