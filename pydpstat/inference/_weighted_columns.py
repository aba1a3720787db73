"""A variable and its weights as they are read, record by record."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pydpstat._data.columns import Columns, Pair, numbers_of, one_column, truths_of
from pydpstat.statistics._kernels.association import check_lengths


class GivenPair(NamedTuple):
    """A variable and the weights as they were given. Private."""

    data: object
    weights: object


def both_of(
    given: object, _: str, pair_of: Callable[[object], GivenPair], argument: str, truths: bool
) -> Columns:
    """Read the variable and the weights."""
    pair = pair_of(given)
    first, second = _variable(pair.data, argument, truths), one_column(pair.weights, "weights")
    check_lengths(first.size, second.size, f"{argument} and weights")
    arrays = first.arrays + second.arrays
    return Columns(arrays, first.missing + second.missing, None, first.name, first.size)


def whole_sample(
    given: object,
    argument: str,
    pair_of: Callable[[object], GivenPair],
    of: Callable[..., Columns],
    drop: bool,
) -> Columns:
    """Read the variable and the weights of a sample, with what is outside of a domain."""
    found = of(given, argument, pair_of=pair_of)
    values, weights = (each.astype(np.float64) for each in found.arrays)
    outside = weights <= 0.0
    if drop:
        outside |= np.isnan(values) | np.isnan(weights)
    values[outside] = weights[outside] = 0.0
    return Columns((values, weights), found.missing, None, found.name, found.size)


def _variable(data: object, argument: str, truths: bool) -> Columns:
    found = one_column(data, argument, truths_of if truths else numbers_of)
    if not truths:
        return found
    values, absent = found.arrays[0].astype(np.float64), found.missing[0]
    if absent is not None:
        values[absent] = np.nan
    return Columns((values,), (None,), None, found.name, found.size)


def products_of(
    given: object,
    argument: str,
    pair_of: Callable[[object], GivenPair],
    of: Callable[..., Columns],
    pair: Pair,
    largest: float,
) -> Columns:
    """Read the products of the variable and the weights, each moved to its bounds before."""
    found = of(given, argument, pair_of=pair_of)
    values, times = found.arrays
    # a record's product depends on this record alone, whatever is rounded in it
    product = np.clip(values, *pair) * np.clip(times, 0.0, largest)
    return Columns((product,), (None,), None, found.name, found.size)
