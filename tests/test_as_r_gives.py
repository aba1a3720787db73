"""Arguments as reticulate makes them of R's: every public function takes them, and gives the same numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pydpstat
from tests.base_calls import BASES
from tests.containers import _numbers

# a generator of noise, sizes and guarantees have their own form in Python
AS_IT_IS = {"Guarantee", "compose"}


def as_r_gives(value):
    """Return what a value would be, had R given it: its numbers are floats, a vector of one is a number."""
    if isinstance(value, np.ndarray):
        # a matrix stays one
        return value if value.ndim > 1 else as_r_gives(value.tolist())
    if isinstance(value, dict):
        return {name: as_r_gives(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        made = [as_r_gives(each) for each in value]
        plain = len(made) == 1 and isinstance(made[0], (bool, float, str))
        return made[0] if plain else made
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def outcome(base, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = base.call(**arguments)
    return list(_numbers(found.to_dict() if hasattr(found, "to_dict") else plain(found)))


def plain(found):
    try:
        return np.asarray(found, dtype=np.float64).tolist()
    except (TypeError, ValueError):
        return repr(found)


@pytest.mark.parametrize("name", sorted(set(BASES) - AS_IT_IS))
def test_the_same_numbers(name):
    base = BASES[name]
    own = dict(base.arguments)
    if own.get("rng", 0) is None:
        own["rng"] = 1
    given = {key: value if key in base.spared else as_r_gives(value) for key, value in own.items()}
    assert outcome(base, given) == outcome(base, own)


def test_a_stream_of_rs():
    assert pydpstat.RRandom(123.0).runif(2.0).tolist() == pydpstat.RRandom(123).runif(2).tolist()


def test_a_vector_of_one_quantile_is_a_number():
    data = list(range(100))
    found, same = (pydpstat.quantiles(data, qs, 1.0, bounds=[0.0, 100.0], rng=1.0).params for qs in (0.5, [0.5]))
    assert found.to_dict() == same.to_dict()


def test_a_column_of_groups_is_a_list_of_texts():
    frame = pd.DataFrame({"income": range(100), "region": ["n", "s"] * 50})
    how = {"bounds": (0, 100), "levels": ["n", "s"], "rng": 1}
    named = pydpstat.mean(frame, 1, by="region", **how)
    for data in (frame["income"].tolist(), frame[["income"]]):
        given = pydpstat.mean(data, 1, by=frame["region"].tolist(), **how)
        assert np.array_equal(np.ravel(given.value), named.value)


def test_a_designs_seed_that_is_a_float_goes_on_from_call_to_call():
    frame = pd.DataFrame({"income": range(100)})
    one, other = (pydpstat.design(frame, bounds={"income": (0, 100)}, rng=seed) for seed in (1, 1.0))
    found = [[float(each.mean("income", 1)) for _ in range(2)] for each in (one, other)]
    assert found[0] == found[1] and found[0][0] != found[0][1]
