"""Neighboring data sets cannot be told apart by more than the noise, whatever holds them."""

from __future__ import annotations

import pytest

from tests.neighbors.cover import wrong
from tests.neighbors.named import parameters
from tests.neighbors.table import FUNCTIONS


@pytest.mark.parametrize(
    "function, kind",
    parameters(
        (f"{function.name} of {kind.name}", (function, kind))
        for function in FUNCTIONS
        for kind in function.kinds
    ),
)
def test_neighbors_are_alike(function, kind, seeded_entropy, capfd):
    assert wrong(function, kind) == []
    assert capfd.readouterr() == ("", "")
