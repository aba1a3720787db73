"""Neighboring data sets cannot be told apart by more than the noise, whatever holds them."""

from __future__ import annotations

import pytest

from tests.neighbors.cover import cases
from tests.neighbors.engine import judged, pair
from tests.neighbors.table import FUNCTIONS

CELLS = [(function, kind) for function in FUNCTIONS for kind in function.kinds]


@pytest.mark.parametrize(
    "function, kind", CELLS, ids=[f"{function.name}-{kind.name}" for function, kind in CELLS]
)
def test_neighbors_are_alike(function, kind, seeded_entropy, capfd):
    released, found = 0, []
    for case in cases(function, kind):
        one, two = pair(case)
        found += [f"{each} ({case.name})" for each in judged(case, one, two)]
        released += one.error is None
    assert found == []
    # a container is taken or refused for its type
    assert bool(released) is (kind.name not in function.refused)
    assert capfd.readouterr() == ("", "")
