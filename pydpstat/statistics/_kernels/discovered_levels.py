"""Levels that are found in the data and pass a threshold."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat import _multiple_precision as multiple_precision
from pydpstat._data.containers import is_categorical
from pydpstat._data.values import fills, is_missing, objects
from pydpstat._release.additive import Spender, release
from pydpstat._release.calibration import Calibrated, prepare
from pydpstat._release.statistic import Missing, Options, call, check_budget
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.privacy import Guarantee
from pydpstat.random import Source
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import AsDrawn
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.cells import cells_query
from pydpstat.statistics._kernels.crossed import found_records, variables_in
from pydpstat.statistics._kernels.levels import Level, plain
from pydpstat.statistics._kernels.records import Part
from pydpstat.statistics._kernels.scope import Scope

# levels by their type, and how many records each has
Found = dict[tuple[type, Level], int]
FOUND = "the levels were found in the data; rare levels are left out, and delta covers this"


def discovered(
    data: object, delta: float, how: Options, scope: Scope, source: Source, budget: Spender | None
) -> DPResults:
    """Release the noisy counts of one variable's levels that are at least a public threshold.

    The notes of `pydpstat.crosstab` have the proof.
    """
    share = checks.unwrap(delta)
    if not checks.is_number(share) or not 0.0 < checks.as_float(share) < 1.0:
        raise PydpstatError(
            f"delta must be above 0 and below 1 with levels 'discover'; got {checks.shown(delta)}. "
            "Give a small probability, for example 1e-6, or public levels."
        )
    variables = variables_in(data, scope)
    if len(variables.columns) != 1:
        raise PydpstatError(
            f"levels='discover' takes one variable; got {len(variables.columns)}. "
            "Combine them into one, or give public levels."
        )
    records, how = found_records(data, how, scope, source)
    # one record is in one level, or leaves one and enters another
    reach = how.most * (2 if how.neighbors == "bounded" else 1)
    noise = SymmetricGeometricNoise(how.epsilon, reach)
    # the noise's rate is this quotient of floats, as it is drawn
    rate = Fraction(noise.epsilon / noise.sensitivity)
    threshold = unit_threshold(rate, float(share), how.most)
    found = records.fold(partial(_occurring, missing=how.missing), _both)
    # an order that says nothing of the records' own
    keys = sorted(found, key=lambda key: (key[0].__name__, key[1]))
    counts = np.array([found[key] for key in keys], dtype=np.int64)
    levels = tuple(level for _, level in keys)
    labels = Labels("table", dimnames=(levels,), dimension_names=tuple(filter(None, variables.names)))
    query = cells_query("table", counts, labels, int(counts.sum()), how)
    claim = Guarantee(how.epsilon, float(share), how.neighbors, unit=how.unit)
    held = replace(claim, conditions=(*how.conditions, FOUND))
    arguments = (("levels", "discover"), ("delta", float(share)), *records.arguments)
    result = release(
        query,
        prepare(query.question, Calibrated(noise, claim, held), source.reproducible),
        source,
        record=call("crosstab", how, ("data",), arguments),
        budget=check_budget(budget),
    )
    return _above(result, threshold)


def _above(result: DPResults, threshold: int) -> DPResults:
    """Leave out what is below the threshold."""
    (levels,) = result.labels.dimnames or ((),)
    kept = [place for place in range(len(levels)) if result.value[place] >= threshold]
    labels = replace(result.labels, dimnames=(tuple(levels[place] for place in kept),))
    post = AsDrawn((f"counts below {threshold} left out",), within=ranges.counts(result.nobs))
    return replace(result, value=result.value[kept], labels=labels, post=post)


def _occurring(part: Part, missing: Missing) -> Found:
    """Count the levels that occur; what a record's level is called depends on this record alone. Private."""
    found, gone = _tallied(part.columns.arrays[0])
    if fills(gone, missing):
        found.append((missing, gone))
    # 1, 1.0 and True are different levels, though Python takes them for equal
    totals: Found = {}
    for value, count in found:
        level = plain(value)
        totals[type(level), level] = totals.get((type(level), level), 0) + count
    return {level: count for level, count in totals.items() if count}


def _both(first: Found, second: Found) -> Found:
    """Add up the counts of two parts."""
    totals = dict(first)
    for level, count in second.items():
        totals[level] = totals.get(level, 0) + count
    return totals


def _tallied(column: Any) -> tuple[list[tuple[object, int]], int]:
    """Return values with how often they occur, and how many are missing."""
    import pandas as pd

    kind = getattr(column, "dtype", None)
    if isinstance(column, np.ma.MaskedArray):
        found, gone = _tallied(np.ma.getdata(column)[~np.ma.getmaskarray(column)])
        return found, gone + int(np.ma.count_masked(column))
    if isinstance(kind, np.dtype) and kind.kind in "mM":
        times = np.asarray(column)
        there, counts = np.unique(times[~np.isnat(times)], return_counts=True)
        return list(zip(there, counts.tolist())), int(np.count_nonzero(np.isnat(times)))
    plainly = isinstance(kind, np.dtype) and kind.kind not in "OT"
    if plainly or is_categorical(column):
        codes, values = pd.factorize(_wide(np.asarray(column)) if plainly else column)
        counts = np.bincount(codes + 1, minlength=len(values) + 1).tolist()
        return list(zip(list(values), counts[1:])), counts[0]
    flat = objects(column).tolist()
    present = [value for value in flat if not is_missing(value)]
    named = Counter((type(level), level) for level in map(_named, present))
    return [(level, count) for (_, level), count in named.items()], len(flat) - len(present)


def _named(value: object) -> Level:
    """Return a record's level as a text, truth value or number."""
    if type(value).__hash__ is not None:
        try:
            return plain(value)
        except Exception:  # an object may raise what it likes when it is shown
            pass
    raise PydpstatError(
        "data must be values that can be levels (strings, numbers); got some of type "
        f"{type(value).__name__}. Convert them."
    ) from None


def _wide(values: np.ndarray) -> np.ndarray:
    """Return numbers in the machine's own byte order and full width, which pandas asks for."""
    wide = {"i": np.int64, "u": np.uint64, "f": np.float64}.get(values.dtype.kind)
    return values.astype(wide or values.dtype.newbyteorder("="), copy=False)


def unit_threshold(rate: Fraction, delta: float, most: int) -> int:
    """Return the threshold where a unit's records, so many at most, can be all that levels have."""
    # rounded down, for a quotient of floats may be above delta's part
    part = delta if most == 1 else math.nextafter(delta / most, 0.0)
    return max(release_threshold(rate, part), most - 1 + release_threshold(rate, delta))


# 60 decimal digits
_BITS = 203


def release_threshold(rate: Fraction, delta: float) -> int:
    """Return the smallest T >= 2 with P(1 + K >= T) <= delta for symmetric geometric noise K.

    P(K = k) is proportional to exp(-rate |k|), and delta is above 0 and below 1. As P(K >= j) is
    a^j / (1 + a) for j >= 0, a = exp(-rate), T - 1 is at least -log(delta (1 + a)) / rate. Multiple precision
    decides which integer comes next; in a tie that it could not see it takes the larger one.
    """
    mp = multiple_precision.functions()
    exact = mp.from_rational(rate.numerator, rate.denominator, _BITS)
    share = mp.mpf_add(mp.fone, mp.mpf_exp(mp.mpf_neg(exact), _BITS), _BITS)
    surprise = mp.mpf_neg(mp.mpf_log(mp.mpf_mul(mp.from_float(delta), share, _BITS), _BITS))
    # far above the roundings
    margin = mp.from_rational(10**40 + 1, 10**40, _BITS)
    reach = mp.mpf_mul(mp.mpf_div(surprise, exact, _BITS), margin, _BITS)
    return max(2, 1 + int(mp.to_int(mp.mpf_ceil(reach, _BITS))))
