"""Guarantees and their basic composition."""

import math
import pickle

import pytest

from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee, compose_basic


def test_prints_in_one_line():
    assert str(Guarantee(1, 1e-6)) == "(epsilon 1, delta 1e-06), bounded neighbors"
    assert str(Guarantee(0.5, neighbors="unbounded")) == "(epsilon 0.5, delta 0), unbounded neighbors"
    assert str(Guarantee(math.inf)) == "none (epsilon infinite)"
    assert str(Guarantee(1.0, 1.0)) == "none (delta 1)"


def test_is_a_value():
    guarantee = Guarantee(1, 0.1, "unbounded", ("the levels are public",))
    assert guarantee == Guarantee(1.0, 0.1, "unbounded", ("the levels are public",))
    assert hash(guarantee) == hash(pickle.loads(pickle.dumps(guarantee)))
    assert isinstance(guarantee.epsilon, float)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"epsilon": -1}, "epsilon must be at least 0; got -1.0"),
        ({"epsilon": math.nan}, "epsilon must be a number"),
        ({"epsilon": "1"}, "epsilon must be a number"),
        ({"epsilon": 1, "delta": 1.5}, "delta must be between 0 and 1; got 1.5"),
        ({"epsilon": 1, "delta": -1e-9}, "delta must be between 0 and 1"),
        ({"epsilon": 1, "neighbors": "both"}, "neighbors must be one of"),
        ({"epsilon": 1, "conditions": "public"}, "conditions must be a tuple of texts; got 'public'"),
        ({"epsilon": 1, "conditions": (1,)}, "conditions must be a tuple of texts"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        Guarantee(**arguments)


def test_basic_composition_adds():
    first = Guarantee(0.1, 1e-6, conditions=("a", "b"))
    both = compose_basic(first, Guarantee(0.2, 2e-6, conditions=("b", "c")))
    assert both == Guarantee(math.fsum((0.1, 0.2)), math.fsum((1e-6, 2e-6)), conditions=("a", "b", "c"))
    assert compose_basic(*[Guarantee(0.1)] * 10).epsilon == 1.0
    assert compose_basic(Guarantee(1, 0.7), Guarantee(1, 0.7)).delta == 1.0
    assert compose_basic(Guarantee(math.inf), Guarantee(1)).epsilon == math.inf
    assert compose_basic(Guarantee(1)) == Guarantee(1)


def test_composition_needs_the_same_neighbors():
    with pytest.raises(PydpstatError, match="got neighbors bounded, unbounded"):
        compose_basic(Guarantee(1), Guarantee(1, neighbors="unbounded"))
    with pytest.raises(PydpstatError, match="got nothing"):
        compose_basic()
