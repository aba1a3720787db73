"""Neighboring data sets cannot be told apart by more than the noise, whatever holds them."""

import numpy as np
import pytest

import pydpstat
from pydpstat import PydpstatError
from pydpstat.consistency import Hierarchy, release_hierarchy
from tests.neighbors.cover import wrong
from tests.neighbors.engine import Case, compared, said
from tests.neighbors.kinds import LABELS, NUMBERS, Floatless, Kind, objects
from tests.neighbors.named import parameters
from tests.neighbors.table import FUNCTIONS


class Unshown:
    """An object that has no text."""

    def __str__(self) -> str:
        raise ZeroDivisionError("4242")


@pytest.mark.slow
@pytest.mark.parametrize(
    "function, kind",
    parameters(
        (f"{function.name} of {kind.name}", (function, kind)) for function in FUNCTIONS for kind in function.kinds
    ),
)
def test_neighbors_are_alike(function, kind, capfd):
    assert wrong(function, kind) == []
    assert capfd.readouterr() == ("", "")


# the places of one record among those that are read some at a time
PLACES = (0, 32_768, 65_535, 65_536, 70_000)
LONG = np.random.default_rng(1).integers(-2, 13, 70_001).astype(np.float64)
NUMERIC = [each for each in FUNCTIONS if (each.kinds is NUMBERS or each.kinds is LABELS) and each.name != "quantiles"]


@pytest.mark.slow
@pytest.mark.parametrize("function", NUMERIC, ids=[function.name for function in NUMERIC])
def test_many_records(function):
    found, released = compared(_of_many(function))
    assert found == [] and released


def _of_many(function):
    kind = Kind("long", np.array, (), (), (), (1, 2, 3))
    # ranks need all records at once: there are no parts
    places = PLACES[:2] if function.name.startswith("ols, rank") else PLACES * 3
    for place, settings in zip(places, function.settings):
        changed, odd = LONG.copy(), (np.nan if settings["missing"] != "error" else np.inf)
        changed[place] = odd
        if settings["neighbors"] == "unbounded":
            changed = np.insert(LONG, LONG.size if function.aligned else place, odd)
        yield Case(
            f"{place}, {settings}",
            lambda data, budget, own=settings: function.call(data, kind, own, budget),
            lambda: LONG,
            lambda second=changed: second,
        )


@pytest.mark.parametrize("odd", [Unshown(), [1], {"a": 1}], ids=lambda odd: type(odd).__name__)
def test_what_cannot_be_a_level_that_is_found_is_refused_by_its_type(odd):
    with pytest.raises(PydpstatError, match=f"of type {type(odd).__name__}") as caught:
        pydpstat.crosstab(["a", odd, "b"], 1.0, levels="discover", delta=1e-3)
    assert not any("4242" in text for text in said(caught.value))


@pytest.mark.parametrize("odd", [np.timedelta64(4242, "s"), np.datetime64("4242-01-01"), "4242"])
@pytest.mark.parametrize("make", [list, objects])
def test_what_is_no_number_is_refused_by_its_type(make, odd):
    with pytest.raises(PydpstatError, match="must be numbers") as caught:
        pydpstat.mean(make([1.0, odd, 2]), 1.0, bounds=(0, 1))
    assert not any("4242" in text for text in said(caught.value))


HIDING = (np.ma.masked_array([3, 1], [True, False]), np.ma.masked_array([3.0, 1.0], [True, False]))


@pytest.mark.parametrize("counts", [*HIDING, [np.ma.masked, 1], np.array([np.longdouble("1e4000"), 1])])
@pytest.mark.parametrize("of", [pydpstat.symmetric_geometric, release_hierarchy])
def test_counts_that_a_mask_hides_are_not_released(of, counts):
    options = {"hierarchy": Hierarchy(["a", "b"])} if of is release_hierarchy else {}
    with np.errstate(all="raise"), pytest.raises(PydpstatError, match="number"):
        of(counts, 1.0, **options)


def test_scores_of_a_number_without_a_float():
    assert pydpstat.choose(["a", "b"], [Floatless(0.0), 10**6], 1.0, 1.0).estimate == "b"
